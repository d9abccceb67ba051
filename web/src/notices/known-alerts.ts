import type { KnownAlerts } from './fresh.ts'

/** What happened while no tab was open is seen by who opens one. */
const forgottenMs = 10 * 60_000

const nameOf = (userId: string) => `patchbay known ${userId}`

/** What this tab knows, or what was kept after that by another one, or a short time ago by any. */
export function latestKnown(userId: string, own: KnownAlerts | undefined): KnownAlerts | undefined {
  const kept = readKnown(userId)
  if (!kept) return own
  if (own) return own.at >= kept.at ? own : kept
  return Date.now() - kept.at < forgottenMs ? kept : undefined
}

function readKnown(userId: string): KnownAlerts | null {
  try {
    return JSON.parse(localStorage.getItem(nameOf(userId)) ?? 'null')
  } catch {
    return null
  }
}

export function keepKnown(userId: string, known: KnownAlerts): void {
  try {
    localStorage.setItem(nameOf(userId), JSON.stringify(known))
  } catch {
    // Storage is blocked or full: known until the page is left.
  }
}

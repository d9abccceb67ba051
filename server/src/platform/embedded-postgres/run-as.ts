import { readFileSync } from 'node:fs'

export type RunAs = { uid: number; gid: number }

/** PostgreSQL refuses to run as root; a root-started Patchbay runs it as `nobody`. Undefined: run it as ourselves. */
export function runAs(): RunAs | undefined {
  if (process.getuid?.() !== 0) return undefined
  const line = readUsers()
    .split('\n')
    .find((entry) => entry.startsWith('nobody:'))
  const [, , uid, gid] = (line ?? 'nobody:x:65534:65534').split(':').map(Number)
  return { uid: uid ?? 65_534, gid: gid ?? 65_534 }
}

/** Where there is none, as in a bare container, PostgreSQL itself will miss the name, and we say what to do. */
function readUsers(): string {
  try {
    return readFileSync('/etc/passwd', 'utf8')
  } catch {
    return ''
  }
}

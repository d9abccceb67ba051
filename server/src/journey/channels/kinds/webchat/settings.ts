import { type ChatHours, usualWebchat, type WebchatSettings } from '@patchbay/contract/chat/settings.ts'
import { Refusal } from '../../../../platform/refusal.ts'
import { readPages } from './pages.ts'

/** `given` has the shape of the schema; here is what that cannot say. */
export function readSettings(given: Partial<WebchatSettings>, before: WebchatSettings | undefined): WebchatSettings {
  const pages = given.pages ?? before?.pages ?? []
  const settings: WebchatSettings = { ...usualWebchat, ...before, ...given, pages: readPages(pages) }
  if (settings.hours) checkHours(settings.hours)
  for (const [language, { privacyUrl }] of Object.entries(settings.words)) {
    if (privacyUrl === null || URL.canParse(privacyUrl)) continue
    throw refuse(`settings.words.${language}.privacyUrl must be an address such as https://shop.example/privacy.`)
  }
  return settings
}

function checkHours({ zone, windows, closed }: ChatHours): void {
  if (!isZone(zone)) throw refuse(`settings.hours.zone: there is no time zone "${zone}"; one is Europe/Berlin.`)
  windows.forEach(({ from, to }, n) => {
    if (from === to || from === '24:00') {
      throw refuse(`settings.hours.windows.${n} has no length. A whole day is from 00:00 to 24:00.`)
    }
  })
  const strange = closed.find((day) => !isDay(day))
  if (strange !== undefined) throw refuse(`settings.hours.closed: there is no day ${strange}.`)
}

function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return true
  } catch {
    return false
  }
}

/** 2026-02-30 is none. */
function isDay(day: string): boolean {
  const at = Date.parse(`${day}T00:00:00Z`)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day)
}

function refuse(sentence: string): Refusal {
  return new Refusal('INVALID_REQUEST', sentence)
}

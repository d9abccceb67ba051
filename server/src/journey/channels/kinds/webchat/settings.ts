import { usualWebchat, type WebchatSettings } from '@patchbay/contract/chat/settings.ts'
import { Refusal } from '../../../../platform/refusal.ts'
import { checkHours } from './hours.ts'
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

function refuse(sentence: string): Refusal {
  return new Refusal('INVALID_REQUEST', sentence)
}

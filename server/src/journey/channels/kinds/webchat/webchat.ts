import { GivenWebchat, type WebchatSettings } from '@patchbay/contract/chat/settings.ts'
import type { OwnKind } from '../kind.ts'
import { checks } from './checks.ts'
import { isOnPages } from './pages.ts'
import { readSettings } from './settings.ts'
import { limits, split } from './split.ts'
import { modelAnswers } from './strangers.ts'

/** A chat on the pages of a shop. Browsers fetch what is said, and say what arrived and what was read. */
export const webchat: OwnKind<WebchatSettings> = {
  name: 'webchat',
  leaves: 'when stored',
  limits,
  receipts: true,
  showsWhoSpeaks: true,
  split,
  settings: GivenWebchat,
  readSettings,
  describe: ({ pages }) => ({ name: 'Website chat', address: pages[0] ?? '' }),
  line: (id, publicUrl) => `<script async src="${publicUrl}/chat/${id}.js"></script>`,
  isOurs: (address, { pages }) => isOnPages(address, pages),
  modelAnswers,
  checks,
}

import type { ProviderKind } from '../kind.ts'
import type { TelegramSecrets } from './calls.ts'
import { connect, type TelegramSettings } from './connect.ts'
import { files } from './files.ts'
import { judge } from './judge.ts'
import { hook, poll } from './receive.ts'
import { acknowledge, limits, request, split, typing } from './request.ts'

/** A bot of Telegram, by its Bot API. It tells us no more of a message than that it took it. */
export const telegram: ProviderKind<TelegramSettings, TelegramSecrets> = {
  name: 'telegram',
  leaves: 'by a request',
  origins: { api: 'https://api.telegram.org' },
  limits,
  receipts: false,
  showsWhoSpeaks: false,
  writesFirstTo: 'nobody',
  // Telegram publishes no exact limits; what it says when there are too many is always believed.
  pace: () => ({ perSecond: 25, pair: { perSecond: 1, burst: 5 } }),
  cost: () => 1,
  leavesWithinSeconds: 24 * 3_600,
  connect,
  hook,
  poll,
  catchUp: null,
  split,
  request,
  judge,
  ask: null,
  typing,
  acknowledge,
  files,
}

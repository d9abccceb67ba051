import type { ProviderKind } from '../kind.ts'
import type { SmsSecrets } from './calls.ts'
import { connect } from './connect.ts'
import type { SmsSettings } from './credentials.ts'
import { files } from './files.ts'
import { hook } from './hook.ts'
import { judge } from './judge.ts'
import { ask, catchUp } from './list.ts'
import { cost, leavesWithinSeconds, limits, pace, request, split } from './request.ts'

/** A number, short code or messaging service of Twilio. Carriers say whether a message arrived, where they do. */
export const sms: ProviderKind<SmsSettings, SmsSecrets> = {
  name: 'sms',
  leaves: 'by a request',
  origins: { api: 'https://api.twilio.com', messaging: 'https://messaging.twilio.com' },
  limits,
  receipts: true,
  showsWhoSpeaks: false,
  countsSegments: true,
  writesFirstTo: 'phone numbers',
  pace,
  cost,
  leavesWithinSeconds,
  connect,
  hook,
  poll: null,
  catchUp,
  split,
  request,
  judge,
  ask,
  typing: null,
  acknowledge: null,
  files,
}

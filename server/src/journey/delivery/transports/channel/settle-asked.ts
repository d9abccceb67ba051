/* What a provider has said of a part in doubt is stored: it has it, it has not, or that is not known. */

import type { Tx } from '../../../../platform/database/db.ts'
import { notMade, type Settled } from '../transport.ts'
import type { DoubtfulPart } from './begin-store.ts'
import { claimFound, writeNeverLeft } from './claim-store.ts'
import { giveUp, release, settleAs, settleTaken, type Tried } from './end-attempt.ts'
import { countSilence, endSilence, readWhole } from './part-store.ts'

/** `found`: ids of what may be the part. `called`: what was asked, for people. */
export type Asked = {
  part: DoubtfulPart
  found: { providerIds: string[] } | 'unknown'
  called: string
  tells: boolean
}

export async function storeAsked(tx: Tx, tried: Tried, asked: Asked): Promise<Settled> {
  const { event } = tried
  const { part, found, called } = asked
  if (event.isProbe) await (found === 'unknown' ? countSilence(tx, event) : endSilence(tx, event))
  const is = found === 'unknown' ? found : await claimFound(tx, { ...event, n: part.n }, found.providerIds)
  if (is === 'taken') return settleTaken(tx, tried, await readWhole(tx, event), asked)
  if (part.againInSeconds !== null) return release(tx, event, { seconds: part.againInSeconds, isInDoubt: true })
  const { isBroadcast } = part
  if (is === 'unknown' || part.isLeftToPeople) return giveUp(tx, tried, { called, isBroadcast, isRefused: true })
  return sendAnew(tx, tried, asked)
}

/** The provider never got it, so it leaves as if for the first time. Where that happens again, others of the conversation go first. */
async function sendAnew(tx: Tx, tried: Tried, { part, called }: Asked): Promise<Settled> {
  const { event } = tried
  await writeNeverLeft(tx, { ...event, n: part.n })
  if (part.attempts < 2) return release(tx, event, { seconds: 0, isInDoubt: false })
  const failed = notMade('not_reached', 'The provider did not get it.')
  const attempt = { ...failed, made: tried.attempt.made, failure: { isOverloaded: false } }
  return settleAs(tx, tried, attempt, { called, isRefused: true })
}

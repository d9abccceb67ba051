import { loadKind } from '../channels/load-kind.ts'
import { lookSoon } from '../channels/store.ts'
import type { BotCtx } from './ctx.ts'
import type { TurnContext } from './decide/decide-who-answers.ts'
import { giveBackPlace, readChannelSettings, takePlace } from './model-place-store.ts'

/** Leave to ask a language model once. */
export type ModelPlace = { giveBack: () => Promise<void> }

export const noPlaceNeeded: ModelPlace = { giveBack: async () => {} }

/**
 * On a channel where anybody may write without being known, each answer of a language model has to have a place in what one visitor,
 * their network and the channel may cost in a day. Undefined: there is none, and somebody else has to answer.
 */
export async function takeModelPlace(
  { db }: Pick<BotCtx, 'db'>,
  { turn, route }: Pick<TurnContext, 'turn' | 'route'>,
): Promise<ModelPlace | undefined> {
  if (!route?.address) return noPlaceNeeded
  const kind = await loadKind(route.kind)
  if (kind.leaves !== 'when stored') return noPlaceNeeded
  const { accountId } = turn
  const on = { accountId, channelId: route.channelId }
  const { ofVisitor, ofDay, lookAt } = kind.modelAnswers(await readChannelSettings(db, on), route.address)
  const place = await takePlace(db, turn, { ...on, ofVisitor, ofDay })
  if (!place) return undefined
  if (lookAt.includes(place.taken)) await lookSoon(db, { accountId, id: route.channelId })
  return { giveBack: () => giveBackPlace(db, { ...on, day: place.day }) }
}

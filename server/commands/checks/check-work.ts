import { pino } from 'pino'
import { listTroubled } from '../../src/answers/campaigns/store.ts'
import { openEmbedder } from '../../src/answers/knowledge/search/embedder.ts'
import { listTroubledChannels } from '../../src/journey/channels/store.ts'
import { type ListedReceiver, listReceivers } from '../../src/outbox/receiver-store.ts'
import type { Config } from '../../src/platform/config/config.ts'
import { withSettings } from '../../src/platform/config/settings.ts'
import type { Db } from '../../src/platform/database/db.ts'
import type { RunningServer } from '../../src/platform/database-setup/running-servers.ts'
import { type Outbound, openOutbound } from '../../src/platform/outbound/client.ts'

/** Embeds a sentence: this fails if the weights are missing or cannot be loaded. */
export async function checkEngine(): Promise<string> {
  const embedder = openEmbedder(pino({ enabled: false }))
  const startedAt = performance.now()
  try {
    await embedder.embed(['Do you ship abroad?'])
  } catch {
    throw new Error(
      'its model weights cannot be loaded, so questions are compared by words only; install Patchbay again',
    )
  } finally {
    await embedder.close()
  }
  return `${embedder.modelId} is loaded, in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`
}

export async function checkCampaigns(db: Db): Promise<string> {
  const troubled = await listTroubled(db)
  if (troubled.length === 0) return 'no errors'
  throw new Error(`${troubled.map(({ id, trouble }) => `${id}: ${trouble}`).join('; ')}; see: campaign show, bot ask`)
}

/**
 * Posts nothing: checks that every host resolves to an address that the running server may call, and the results of the
 * last attempts.
 */
export async function checkReceivers(db: Db, config: Config, [server]: RunningServer[]): Promise<string> {
  const { outboundAllowed } = server ? withSettings(config, server.settings) : config
  const outbound = openOutbound({ allowed: outboundAllowed })
  try {
    const receivers = await listReceivers(db, mostReceivers)
    const troubles = await Promise.all(receivers.map((receiver) => troubleOf(outbound, receiver)))
    const found = troubles.filter((trouble) => trouble !== undefined)
    if (found.length > 0) throw new Error(`${found.join('; ')}; see: webhook show, webhook test`)
    return `${receivers.length} saved, no errors`
  } finally {
    await outbound.close()
  }
}

/** By what was found when they were last looked at: nobody is called. */
export async function checkChannels(db: Db): Promise<string> {
  const troubled = await listTroubledChannels(db, mostReceivers)
  if (troubled.length === 0) return 'no errors'
  const told = troubled.map(({ accountId, address, state, attentionReason, isHeld }) => {
    const found = isHeld
      ? 'is held: this is a restored copy'
      : state === 'connecting'
        ? 'is not connected yet'
        : `needs somebody: ${attentionReason}`
    return `${address} of ${accountId} ${found}`
  })
  throw new Error(`${told.join('; ')}; see: channel show, channel check`)
}

const mostReceivers = 100

async function troubleOf(outbound: Outbound, receiver: ListedReceiver): Promise<string | undefined> {
  const { accountId, id, url, failuresInRow, pausedAt, goneAt } = receiver
  const name = `${id} events of ${accountId}`
  if (pausedAt) return `${name} are paused`
  if (goneAt) return `the receiver of ${name} answered 410 Gone`
  if (failuresInRow > 0) return `${name} failed ${failuresInRow} times in a row`
  return outbound.check(url).then(
    () => undefined,
    (error) => `${name} cannot be sent: ${error instanceof Error ? error.message : error}`,
  )
}

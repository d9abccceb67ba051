import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { FastifyReply } from 'fastify'
import { readFileToken } from '../../../journey/media/outgoing/file-token.ts'
import { findAttachment, findMedia, readMedia } from '../../../journey/media/store.ts'
import type { AddressRanges } from '../../../platform/config/ip-ranges.ts'
import type { Db } from '../../../platform/database/db.ts'
import { openFairShare } from '../../../platform/database/fair-share.ts'
import { nothingHere } from '../../../platform/http/known-paths.ts'
import { clientAddress } from '../../../platform/https-server/client-address.ts'
import type { AccountId, ChannelId } from '../../../platform/ids.ts'
import { tooMuch } from '../entry/refused.ts'
import type { Layers } from '../limits/layers.ts'
import { isOfChat } from './chat-store.ts'
import { isShownPicture } from './file-types.ts'

type Ctx = Readonly<{
  db: Db
  secretKey: Buffer
  /** The account of a channel that is there. */
  accountOf: (channelId: ChannelId) => Promise<AccountId | undefined>
  layers: Layers
  proxies: AddressRanges
}>

/** Each holds a chunk of the file for as long as its reader takes. */
const downloads = { slots: 32, mostWaiting: 200, longestWaitMs: 10_000 }

export type ServeFile = (token: string, reply: FastifyReply) => Promise<FastifyReply>

/**
 * Serves the file of a message to whoever has its address, which is good for an hour. It may come from a stranger, so nothing in it
 * runs, and only pictures are shown in a page. A provider fetches for many people from few addresses, so it is not counted by them:
 * it has slots of its own, by the channel.
 */
export function openServeFile({ db, secretKey, accountOf, layers, proxies }: Ctx): ServeFile {
  // Between addresses: whoever reads slowly keeps others from nothing.
  const share = openFairShare(downloads)
  const providersShare = openFairShare(downloads)
  return async (token, reply) => {
    const named = readFileToken(secretKey, token, Date.now())
    const place = layers.placeOf(clientAddress(reply.request.raw, proxies))
    const isForProvider = named?.reader === 'provider'
    const waitMs = isForProvider ? 0 : layers.ofPlace(place, 'read', { isCounted: true })
    if (waitMs > 0) throw tooMuch(waitMs)
    const accountId = named && (await accountOf(named.channelId))
    if (!named || !accountId || !(await isOfChat(db, { accountId, ...named }))) throw nothingHere()
    const attached = await findAttachment(db, accountId, named.messageId)
    const media = attached?.mediaId ? await findMedia(db, accountId, attached.mediaId) : undefined
    if (!attached?.mediaId || !media) throw nothingHere()
    const { mediaId, contentType } = attached
    const file = { contentType, name: attached.fileName ?? 'file' }
    reply.headers({ ...(isForProvider ? taken(file) : shown(file)), 'content-length': media.sizeBytes })
    if (reply.request.method === 'HEAD') return reply.send()
    const send = async () => {
      reply.send(Readable.from(readMedia(db, accountId, mediaId)))
      await finished(reply.raw).catch(() => {}) // a reader who went away
      return reply
    }
    return isForProvider ? providersShare(named.channelId, send) : share(place.address.name, send)
  }
}

type Named = { contentType: string; name: string }

const harmless = {
  'cache-control': 'private, max-age=3600',
  'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
}

/** In a page, or saved. */
function shown({ contentType, name }: Named): Record<string, string> {
  const isShown = isShownPicture(contentType)
  return {
    ...harmless,
    'content-type': isShown ? contentType : 'application/octet-stream',
    'content-disposition': dispositionOf(isShown ? 'inline' : 'attachment', name),
    ...(isShown && { 'cross-origin-resource-policy': 'cross-origin' }),
  }
}

/** By a provider, which judges it by its type. */
function taken({ contentType, name }: Named): Record<string, string> {
  return { ...harmless, 'content-type': contentType, 'content-disposition': dispositionOf('attachment', name) }
}

function dispositionOf(is: 'inline' | 'attachment', name: string): string {
  const plain = name.replace(/[^\w .()-]/g, '_')
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16)}`,
  )
  return `${is}; filename="${plain}"; filename*=UTF-8''${encoded}`
}

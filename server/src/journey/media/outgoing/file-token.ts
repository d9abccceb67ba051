import { createHmac, timingSafeEqual } from 'node:crypto'
import { type ChannelId, isId, type MessageId } from '../../../platform/ids.ts'

/** Who is to fetch the file: somebody's browser in a chat, or the provider by which it leaves. */
type Reader = 'chat' | 'provider'

/** What a token of a file names: the file of one message over a channel, for whom, and until when. */
type NamedFile = { reader: Reader; channelId: ChannelId; messageId: MessageId; until: number }

/** The same address for a while, so that a browser need not fetch a picture twice. */
const stepMs = { chat: 10 * 60_000, provider: 1 }
const goodForMs = 60 * 60_000

export function makeFileToken(
  secretKey: Buffer,
  { reader, channelId, messageId }: Omit<NamedFile, 'until'>,
  now: number,
): string {
  const until = Math.floor(now / stepMs[reader]) * stepMs[reader] + goodForMs
  const named = [signs[reader], channelId.slice(4), '.', messageId.slice(4), '.', until.toString(36)].join('')
  return `${named}.${sign(secretKey, named).toString('base64url')}`
}

/** What a token begins with. */
const signs = { chat: '', provider: 'p.' }

/** Undefined: it is not ours, or over. */
export function readFileToken(secretKey: Buffer, token: string, now: number): NamedFile | undefined {
  const [named = '', kind = '', channel = '', message = '', until = '', signature = ''] =
    /^((p\.|)([0-9a-f]{32})\.([0-9a-f]{32})\.([0-9a-z]{1,12}))\.([\w-]{43})$/.exec(token)?.slice(1) ?? []
  const given = Buffer.from(signature, 'base64url')
  const right = sign(secretKey, named)
  if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined
  const [channelId, messageId, at] = [`chn_${channel}`, `msg_${message}`, Number.parseInt(until, 36)]
  if (!isId('chn', channelId) || !isId('msg', messageId) || at <= now) return undefined
  return { reader: kind === signs.provider ? 'provider' : 'chat', channelId, messageId, until: at }
}

const sign = (secretKey: Buffer, named: string) =>
  createHmac('sha256', secretKey).update(`file of a chat ${named}`).digest()

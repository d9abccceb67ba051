import { createHmac, timingSafeEqual } from 'node:crypto'
import { type ChannelId, isId, type MessageId } from '../../../platform/ids.ts'

/** What a token of a file names: the file of one message, and until when. */
type FileOfChat = { channelId: ChannelId; messageId: MessageId; until: number }

/** The same address for a while, so that a browser need not fetch a picture twice. */
const stepMs = 10 * 60_000
const goodForMs = 60 * 60_000

export function makeFileToken(
  secretKey: Buffer,
  { channelId, messageId }: Omit<FileOfChat, 'until'>,
  now: number,
): string {
  const until = Math.floor(now / stepMs) * stepMs + goodForMs
  const named = [channelId.slice(4), messageId.slice(4), until.toString(36)].join('.')
  return `${named}.${sign(secretKey, named).toString('base64url')}`
}

/** Undefined: it is not ours, or over. */
export function readFileToken(secretKey: Buffer, token: string, now: number): FileOfChat | undefined {
  const [named = '', channel = '', message = '', until = '', signature = ''] =
    /^(([0-9a-f]{32})\.([0-9a-f]{32})\.([0-9a-z]{1,12}))\.([\w-]{43})$/.exec(token)?.slice(1) ?? []
  const given = Buffer.from(signature, 'base64url')
  const right = sign(secretKey, named)
  if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined
  const [channelId, messageId, at] = [`chn_${channel}`, `msg_${message}`, Number.parseInt(until, 36)]
  return isId('chn', channelId) && isId('msg', messageId) && at > now ? { channelId, messageId, until: at } : undefined
}

const sign = (secretKey: Buffer, named: string) =>
  createHmac('sha256', secretKey).update(`file of a chat ${named}`).digest()

import { limits } from '@patchbay/contract/limits.ts'
import { broadcastWords as words } from './words.ts'

export type Draft = {
  listId: string
  channel: string
  body: string
  name: string
  ratePerMinute: number
  campaignId?: string
  idFrom?: 'phone' | 'email'
}

/** What is being written, as texts until it is read. */
export type Texts = Record<'listId' | 'channel' | 'body' | 'name' | 'rate' | 'campaignId' | 'idFrom', string>

export const blank = { listId: '', channel: '', body: '', name: '', rate: '600', campaignId: '', idFrom: '' }

/** Reads a draft from texts that were checked. */
export function readDraft({ campaignId, rate, idFrom, ...texts }: Texts): Draft {
  const given = { ...(campaignId && { campaignId }), ...(isIdFrom(idFrom) && { idFrom }) }
  return { ...texts, channel: texts.channel.trim(), ratePerMinute: Number(rate), ...given }
}

const isIdFrom = (text: string): text is 'phone' | 'email' => text === 'phone' || text === 'email'

export function checkTexts({ listId, channel, body, rate }: Texts) {
  const { from, to } = limits.broadcast
  const isRate = /^\d{1,4}$/.test(rate) && Number(rate) >= from && Number(rate) <= to
  return {
    listId: listId === '' && words.listMissing,
    channel: channel.trim() === '' && words.channelMissing,
    body: body.trim() === '' && words.bodyMissing,
    rate: !isRate && words.rateWrong,
  }
}

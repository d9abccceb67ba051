import type { ShownBroadcast } from '@patchbay/contract/app/broadcasts.ts'
import { limits } from '@patchbay/contract/limits.ts'
import { localTimeOf, type Moment, momentOf } from '@patchbay/contract/local-time.ts'
import { broadcastWords as words } from './words.ts'

export type Draft = {
  listId: string
  /** Of a custom channel. */
  channel?: string
  /** Of a built-in one. */
  channelId?: string
  body: string
  name: string
  ratePerMinute: number
  campaignId?: string
  idFrom?: 'phone' | 'email'
  /** Left out: at once. */
  startsAt?: string
}

/** What is being written, as texts until it is read. `by`: the id of a built-in channel, or `custom`. */
export type Texts = Record<'listId' | 'by' | 'channel' | 'body' | 'name' | 'rate' | 'campaignId' | 'idFrom', string> & {
  start: 'now' | 'later'
  date: string
  time: string
}

export const blank: Texts = {
  ...{ listId: '', by: '', channel: '', body: '', name: '', rate: '600', campaignId: '', idFrom: '' },
  ...{ start: 'now', date: '', time: '09:00' },
}

/** A broadcast that has not started, to be changed. */
export function textsOf(broadcast: ShownBroadcast, zone: string): Texts {
  const { list, channel, channelId, body, name, ratePerMinute, campaign, idFrom, startsAt } = broadcast
  return {
    ...{
      listId: list.id ?? '',
      by: channelId ?? 'custom',
      channel: channelId === null ? channel.name : '',
      body,
      name,
    },
    ...{ rate: String(ratePerMinute), campaignId: campaign?.id ?? '', idFrom: idFrom ?? '' },
    start: startsAt === null ? 'now' : 'later',
    ...(startsAt === null ? { date: '', time: '' } : localTimeOf(new Date(startsAt), zone)),
  }
}

export const isBuiltIn = (by: string) => by !== '' && by !== 'custom'

/** When it starts, of what was typed; undefined: at once, or what was typed is no time. */
export function startOf({ start, date, time }: Texts, zone: string): Moment | undefined {
  return start === 'later' ? momentOf({ date, time }, zone) : undefined
}

/** Reads a draft from texts that were checked. */
export function readDraft(texts: Texts, zone: string): Draft {
  const { listId, by, channel, body, name, campaignId, rate, idFrom } = texts
  const startsAt = startOf(texts, zone)?.at.toISOString()
  return {
    ...{ listId, body, name, ratePerMinute: Number(rate) },
    ...(isBuiltIn(by) ? { channelId: by } : { channel: channel.trim(), ...(isIdFrom(idFrom) && { idFrom }) }),
    ...(campaignId && { campaignId }),
    ...(startsAt && { startsAt }),
  }
}

const isIdFrom = (text: string): text is 'phone' | 'email' => text === 'phone' || text === 'email'

export function checkTexts(texts: Texts, zone: string) {
  const { listId, by, channel, body, rate, start } = texts
  const { from, to } = limits.broadcast
  const isRate = /^\d{1,4}$/.test(rate) && Number(rate) >= from && Number(rate) <= to
  const moment = startOf(texts, zone)
  const isPast = moment !== undefined && moment.at.getTime() <= Date.now()
  return {
    listId: listId === '' && words.listMissing,
    channel: !isBuiltIn(by) && channel.trim() === '' && words.channelMissing,
    body: body.trim() === '' && words.bodyMissing,
    rate: !isRate && words.rateWrong,
    date: start === 'later' && (moment === undefined ? words.startMissing : isPast && words.startPast),
  }
}

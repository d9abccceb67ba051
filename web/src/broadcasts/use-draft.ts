import { limits } from '@patchbay/contract/limits.ts'
import { useState } from 'react'
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

type Texts = Record<'listId' | 'channel' | 'body' | 'name' | 'rate' | 'campaignId' | 'idFrom', string>
export type DraftErrors = Partial<Record<keyof Texts, string>>

const blank = { listId: '', channel: '', body: '', name: '', rate: '600', campaignId: '', idFrom: '' }

/** What is being written, as texts until it is read. */
export function useDraft(listId: string) {
  const [texts, setTexts] = useState<Texts>({ ...blank, listId })
  const [errors, setErrors] = useState<DraftErrors>({})
  const change = (name: keyof Texts) => (event: { target: { value: string } }) => {
    setTexts((now) => ({ ...now, [name]: event.target.value }))
    setErrors((now) => ({ ...now, [name]: undefined }))
  }
  /** Undefined: something is missing or wrong, and says so. */
  const read = (): Draft | undefined => {
    const { campaignId, rate, idFrom, ...fields } = texts
    if (Object.keys(check(texts)).length > 0) return undefined
    const given = { ...(campaignId && { campaignId }), ...(isIdFrom(idFrom) && { idFrom }) }
    return { ...fields, channel: texts.channel.trim(), ratePerMinute: Number(rate), ...given }
  }
  return { texts, errors, change, read, check: () => setErrors(check(texts)) }
}

const isIdFrom = (text: string): text is 'phone' | 'email' => text === 'phone' || text === 'email'

function check({ listId, channel, body, rate }: Texts): DraftErrors {
  const { from, to } = limits.broadcast
  const isRate = /^\d{1,4}$/.test(rate) && Number(rate) >= from && Number(rate) <= to
  return {
    ...(listId === '' && { listId: words.listMissing }),
    ...(channel.trim() === '' && { channel: words.channelMissing }),
    ...(body.trim() === '' && { body: words.bodyMissing }),
    ...(!isRate && { rate: words.rateWrong }),
  }
}

import type { WaysTo } from '@patchbay/contract/app/conversations.ts'
import type { ReplyWay } from '@patchbay/contract/app/messages.ts'
import { useRef } from 'react'
import { isPhoneLike } from '../../contacts/contact-checks.ts'
import { refreshContacts } from '../../contacts/contact-pages.ts'
import { ApiError, call } from '../../data/api.ts'
import { queryClient } from '../../data/queries.ts'
import { type FieldErrors, useForm } from '../../ui/use-form.ts'
import { detailQuery, threadQuery } from '../data/queries.ts'
import { useWaysTo } from './use-ways-to.ts'
import { writeWords as words } from './words.ts'
import type { WriteTo } from './write-to.ts'

/** `to`: what was typed, or the name of the contact that was chosen. */
type Values = { to: string; contactId: string; channelId: string; body: string }

/** The form of a first message, and the ways that there are for whoever it is to. */
export function useWrite(contact: WriteTo['contact'], onSent: (contactId: string) => void) {
  const last = useRef({ reply: '', clientId: '' })
  const way = useRef<ReplyWay>(undefined)
  const form = useForm<Values, { contactId: string }>({
    initial: { to: contact?.name ?? '', contactId: contact?.id ?? '', channelId: '', body: '' },
    check: ({ to, contactId, body }) => ({
      to: contactId === '' && !isPhoneLike(to.trim()) && words.wrongTo,
      channelId: way.current === undefined && words.chooseWay,
      body: body.trim() === '' && words.noBody,
    }),
    send: async ({ to, contactId: chosen, body: text }) => {
      const contactId = chosen || (await findOrMake(to))
      const body = text.trim()
      const channelId = way.current?.channelId ?? ''
      // The same reply is tried again with the same id, so that it is kept once.
      const reply = JSON.stringify([contactId, channelId, body])
      if (last.current.reply !== reply) last.current = { reply, clientId: crypto.randomUUID() }
      const { clientId } = last.current
      await call('POST /api/conversations/:contactId/replies', {
        params: { contactId },
        body: { body, channelId, clientId },
      })
      return { contactId }
    },
    onSaved: ({ contactId }) => {
      void queryClient.invalidateQueries(threadQuery(contactId))
      void queryClient.invalidateQueries(detailQuery(contactId))
      void queryClient.invalidateQueries({ queryKey: ['GET /api/conversations'] })
      void refreshContacts()
      onSent(contactId)
    },
    place: placeRefusal,
  })
  const ways = useWaysTo(form.values)
  way.current = wayOf(ways.found, form.values.channelId)
  return { form, ...ways, way: way.current }
}

/** The one that was chosen, as long as it can be used; else the usual one, else the first. */
function wayOf(found: WaysTo | undefined, channelId: string): ReplyWay | undefined {
  const usable = found?.ways.filter(({ whyNot }) => whyNot === null) ?? []
  const called = (id: string | null) => usable.find((way) => way.channelId === id)
  return called(channelId) ?? called(found?.usual ?? null) ?? usable[0]
}

/** Whoever has the number, in any variant, or a new contact. */
async function findOrMake(to: string): Promise<string> {
  const { contact } = await call('POST /api/contacts', { body: { phone: to.trim() } })
  return contact.id
}

/** The field that a refusal is about. */
function placeRefusal(error: unknown): FieldErrors<Values> | undefined {
  if (!(error instanceof ApiError)) return undefined
  if (error.code === 'INVALID_PHONE') return { to: words.wrongTo }
  if (error.code === 'CONTACT_NOT_FOUND') return { to: error.message }
  if (error.code === 'CONFLICT' || error.code === 'NOT_FOUND') return { channelId: error.message }
  return error.code === 'INVALID_REQUEST' ? { body: error.message } : undefined
}

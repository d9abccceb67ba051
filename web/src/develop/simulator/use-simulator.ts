import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { call } from '../../data/api.ts'
import { onHint } from '../../data/live.ts'
import { read } from '../../data/queries.ts'

/** Hints arrive within a moment; this catches one that was lost while the screen is open. */
const pollMs = 5_000

export type Writer = { contactId: string | null; firstName: string; channel: string; twice: boolean }

/** The state of the screen: who writes, and the queries that show what came of it. */
export function useSimulator(first: Pick<Writer, 'firstName' | 'channel'>) {
  const client = useQueryClient()
  const [writer, setWriter] = useState<Writer>({ contactId: null, twice: false, ...first })
  const state = useQuery(read('GET /api/simulator'))
  const newest = state.data?.contacts[0]?.contactId ?? null
  const isKnown = state.data?.contacts.some(({ contactId }) => contactId === writer.contactId) ?? false
  const [isNew, setNew] = useState(false)
  const contactId = isNew ? null : isKnown ? writer.contactId : newest

  useEffect(() => {
    const topics = new Set(['simulator', 'everything', 'conversation', 'webhook'])
    return onHint(({ topic }) => {
      if (topics.has(topic)) void refresh(client)
    })
  }, [client])

  async function send(body: string): Promise<void> {
    let id = contactId
    if (id === null) {
      const { firstName, channel } = writer
      const made = await call('POST /api/simulator/contacts', { body: { firstName, channel } })
      id = made.contactId
      setNew(false)
      setWriter((before) => ({ ...before, contactId: id }))
    }
    const message = { body, twice: writer.twice }
    await call('POST /api/simulator/contacts/:contactId/messages', { params: { contactId: id }, body: message })
    await refresh(client)
  }

  const choose = (id: string | null) => {
    setNew(id === null)
    setWriter((before) => ({ ...before, contactId: id }))
  }
  return { state, writer, setWriter, choose, contactId, send, refresh: () => refresh(client) }
}

function refresh(client: ReturnType<typeof useQueryClient>): Promise<void> {
  const shown = /^GET \/api\/(simulator|conversations\/:contactId)/
  return client.invalidateQueries({ predicate: ({ queryKey }) => shown.test(String(queryKey[0])) })
}

export function useEvents(contactId: string | null) {
  return useQuery({
    ...read('GET /api/simulator/contacts/:contactId/events', { params: { contactId: contactId ?? '' } }),
    enabled: contactId !== null,
    refetchInterval: pollMs,
  })
}

export function usePhone(contactId: string | null) {
  return useQuery({
    ...read('GET /api/conversations/:contactId/messages', { params: { contactId: contactId ?? '' }, query: {} }),
    enabled: contactId !== null,
    refetchInterval: pollMs,
  })
}

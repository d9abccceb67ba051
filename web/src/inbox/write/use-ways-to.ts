import type { WaysTo } from '@patchbay/contract/app/conversations.ts'
import { useQuery } from '@tanstack/react-query'
import { useDeferredValue } from 'react'
import { isPhoneLike } from '../../contacts/contact-checks.ts'
import { read } from '../../data/queries.ts'

/** By which ways this contact, or whoever has this number, is reached; nothing until it is one of them. */
export function useWaysTo({ contactId, to }: { contactId: string; to: string }): {
  found: WaysTo | undefined
  isLooking: boolean
} {
  const typed = useDeferredValue(to.trim())
  const query = contactId !== '' ? { contactId } : isPhoneLike(typed) ? { phone: typed } : undefined
  const ways = useQuery({
    ...read('GET /api/ways', { query: query ?? {} }),
    enabled: query !== undefined,
    retry: false,
    gcTime: 0, // what can be used now is asked each time
  })
  return { found: query && ways.data, isLooking: query !== undefined && ways.isPending }
}

import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { offeredCommands } from '../palette.ts'
import { read } from '../queries.ts'
import { useStore } from '../store.ts'
import { paletteWords as words } from '../words/palette.ts'
import { shellWords } from '../words/shell.ts'

/** Something to choose: it is done, and the palette closes. */
export type Option = { id: string; group: string; label: string; aside?: string; run: () => void }

/** Commands that match, then what the server finds. An id that is pasted whole is found like any other text. */
export function useOptions(text: string): Option[] {
  const q = text.trim()
  const navigate = useNavigate()
  const offered = useStore(offeredCommands).flat()
  const found = useQuery({ ...read('GET /api/search', { query: { q } }), enabled: q !== '' }).data
  const go =
    (to: '/inbox' | '/contacts' | '/lists' | '/settings/account' | '/settings/webhook' | '/develop/simulator') => () =>
      void navigate({ to })
  const places = [
    [shellWords.inbox, go('/inbox')],
    [shellWords.contacts, go('/contacts')],
    [shellWords.lists, go('/lists')],
    [shellWords.receiver, go('/settings/webhook')],
    [shellWords.develop, go('/develop/simulator')],
    [shellWords.settings, go('/settings/account')],
  ] as const
  const commands: Option[] = [
    ...offered.map(({ id, group, label, also = '', run }) => ({ id, group, label, also, run })),
    ...places.map(([place, run]) => ({ id: place, group: words.commands, label: words.go(place), also: '', run })),
  ].filter(({ label, also }) => `${label} ${also}`.toLowerCase().includes(q.toLowerCase()))
  const open = (contactId: string) => () => void navigate({ to: '/inbox/$contactId', params: { contactId } })
  const show = (contactId: string) => () => void navigate({ to: '/contacts/$contactId', params: { contactId } })
  return [
    ...commands,
    ...(found?.people ?? []).map(({ contactId, name, phone, email, externalId, hasConversation }) => ({
      id: contactId,
      group: words.people,
      label: name ?? phone ?? email ?? externalId ?? contactId,
      aside: phone ?? email ?? externalId ?? '',
      run: hasConversation ? open(contactId) : show(contactId),
    })),
    ...(found?.lists ?? []).map(({ id, name }) => ({
      id,
      group: words.lists,
      label: name,
      aside: id,
      run: () => void navigate({ to: '/lists/$listId', params: { listId: id } }),
    })),
    ...(found?.messages ?? []).map(({ messageId, contactId, contactName, text: said }) => ({
      id: messageId,
      group: words.messages,
      label: said,
      aside: contactName ?? '',
      run: open(contactId),
    })),
  ]
}

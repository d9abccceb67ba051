import type { Channel } from '@patchbay/contract/app/messages.ts'
import { useNavigate } from '@tanstack/react-router'
import ListIcon from 'lucide-react/icons/list'
import MessageSquare from 'lucide-react/icons/message-square'
import Search from 'lucide-react/icons/search'
import { useStore } from '../../data/store.ts'
import { type SearchResult, useSearch } from '../../data/use-search.ts'
import { searchRequest } from '../../inbox/list/search-request.ts'
import { formatPhone } from '../../ui/format-phone.ts'
import { type Command, groupCommands, registeredCommands } from '../commands.ts'
import { paletteWords as words } from './words.ts'

/** Something to choose: it is done, and the palette closes. */
export type Option = Pick<Command, 'id' | 'group' | 'label' | 'keys' | 'run'> & {
  icon?: NonNullable<Command['palette']>['icon']
  aside?: string
  /** Whether the label is what a machine reads. */
  isCode?: boolean
  channel?: Channel | null
}

/**
 * Commands that match, then what the server finds. An id that is pasted whole is found like any other text.
 * `isTooShort`: no word is long enough to look for messages.
 */
export function useOptions(text: string): { options: Option[]; isTooShort: boolean } {
  const q = text.trim()
  const commands = useStore(registeredCommands).flat()
  const { found: latest, isPlaceholderData, hasFollowing, isGoingOn } = useSearch(q)
  const found = isPlaceholderData ? undefined : latest
  return {
    options: [...optionsOf(commands, q.toLowerCase()), ...useFound(found, { q, hasMore: hasFollowing && !isGoingOn })],
    isTooShort: found?.messages === null,
  }
}

/** The commands that match, those of the screen first. */
function optionsOf(commands: readonly Command[], q: string): Option[] {
  return groupCommands(commands).flatMap(([, each]) =>
    each.flatMap(({ id, label: named, keys, palette, run }) => {
      if (!palette) return []
      const { group, label = named, also = '', icon } = palette
      if (!`${label} ${also}`.toLowerCase().includes(q)) return []
      return [{ id, group, label, run, ...(keys !== undefined && { keys }), ...(icon && { icon }) }]
    }),
  )
}

/** Options of what the server found. `hasMore`: older messages were not looked through. */
function useFound(found: SearchResult | undefined, { q, hasMore }: { q: string; hasMore: boolean }): Option[] {
  const navigate = useNavigate()
  if (!found) return []
  const open = (contactId: string) => () => void navigate({ to: '/inbox/$contactId', params: { contactId } })
  const show = (contactId: string) => () => void navigate({ to: '/contacts/$contactId', params: { contactId } })
  const allPeople = {
    id: 'all people',
    group: words.people,
    label: words.allPeople(q),
    icon: Search,
    run: () => void navigate({ to: '/contacts', search: { q } }),
  }
  const allLists = {
    id: 'all lists',
    group: words.lists,
    label: words.allLists,
    icon: ListIcon,
    run: () => void navigate({ to: '/lists' }),
  }
  const allMessages = {
    id: 'all messages',
    group: words.messages,
    label: words.allMessages(q),
    icon: Search,
    run: () => {
      searchRequest.set(q)
      void navigate({ to: '/inbox' })
    },
  }
  return [
    ...found.people.map(({ contactId, name, phone, email, externalId, channel, hasConversation }) => {
      const known = (phone && formatPhone(phone)) ?? email ?? externalId ?? ''
      const run = hasConversation ? open(contactId) : show(contactId)
      return { id: contactId, group: words.people, label: name ?? (known || contactId), aside: known, channel, run }
    }),
    ...(found.hasMorePeople ? [allPeople] : []),
    ...found.lists.map(({ id, name }) => {
      const run = () => void navigate({ to: '/lists/$listId', params: { listId: id } })
      return { id, group: words.lists, label: name, aside: id, isCode: true, icon: ListIcon, run }
    }),
    ...(found.hasMoreLists ? [allLists] : []),
    ...(found.messages ?? []).map(({ messageId, contactId, contactName, text: said }) => ({
      id: messageId,
      group: words.messages,
      label: said,
      aside: contactName ?? '',
      icon: MessageSquare,
      run: open(contactId),
    })),
    ...(hasMore ? [allMessages] : []),
  ]
}

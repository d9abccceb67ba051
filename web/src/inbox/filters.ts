import type { ConversationFilter } from '@patchbay/contract/app/conversations.ts'

/**
 * The filters in the order in which they are shown. They are not taken from the contract's list, which would load the
 * schemas with it.
 */
export const filters = ['all', 'mine', 'unread', 'waiting', 'failed'] as const satisfies readonly ConversationFilter[]

/** The filters behind the button. */
export const furtherFilters = ['closed', 'snoozed'] as const satisfies readonly ConversationFilter[]

/** Which conversations are listed: those of a filter, of a channel, or with a tag. */
export type View = ConversationFilter | `channel:${string}` | `tag:${string}`

type ListSearch = {
  filter?: ConversationFilter | undefined
  channel?: string | undefined
  tag?: string | undefined
}

/** Reads the address; "all" is left out of it, and so is what is none. */
export function readSearch({ filter, channel, tag }: Record<string, unknown>): ListSearch {
  if (typeof channel === 'string' && channel !== '') return { channel }
  if (typeof tag === 'string' && tag !== '') return { tag }
  const known = [...filters, ...furtherFilters].find((each) => each === filter)
  return { filter: known === 'all' ? undefined : known }
}

export function viewOf({ filter, channel, tag }: ListSearch): View {
  if (channel !== undefined) return `channel:${channel}`
  return tag === undefined ? (filter ?? 'all') : `tag:${tag}`
}

/** Returns a view as the address and the server name it. */
export function searchOf(view: View): ListSearch {
  const [kind, name] = partsOf(view)
  if (kind === 'channel') return { channel: name }
  if (kind === 'tag') return { tag: name }
  return view === 'all' ? {} : { filter: view as ConversationFilter } // what is left
}

export function partsOf(view: View): ['filter' | 'channel' | 'tag', string] {
  const [, kind, name] = /^(channel|tag):(.*)$/s.exec(view) ?? []
  return name === undefined ? ['filter', view] : [kind === 'tag' ? 'tag' : 'channel', name]
}

import type { ConversationFilter } from '@patchbay/contract/app/conversations.ts'

/** In the order in which they are shown. Not taken from the contract's list, which would load the schemas with it. */
export const filters = ['all', 'unread', 'waiting', 'failed'] as const satisfies readonly ConversationFilter[]

/** The filter in the address; "all" is left out of it, and so is what is none. */
export function readFilter({ filter }: { filter?: unknown }): { filter?: ConversationFilter | undefined } {
  const known = filters.find((each) => each === filter)
  return { filter: known === 'all' ? undefined : known }
}

import type { Pool } from 'pg'
import type { KnownContacts } from '../../people/contacts/known-contacts.ts'
import { keepApart } from './keep-apart.ts'
import { keepKnownOutgoing } from './known-outgoing-store.ts'
import { type KeptOutgoing, keepOutgoing, type OutgoingRow } from './store.ts'

/**
 * Stores any number of outgoing messages, and each of them with its contact, conversation and the event that delivers it or
 * not at all. Results in the order given. Undefined: it was not stored; call it again.
 */
export function openKeepOutgoing(
  contacts: KnownContacts,
): (pool: Pool, rows: OutgoingRow[]) => Promise<(KeptOutgoing | undefined)[]> {
  async function keepOthers(pool: Pool, rows: OutgoingRow[]): Promise<(KeptOutgoing | undefined)[]> {
    const results = await keepOutgoing(pool, rows)
    for (const [n, row] of rows.entries()) {
      const kept = results[n]
      if (kept) contacts.note(row, kept.contactId, kept.clears)
    }
    return results
  }

  return (pool, rows) =>
    keepApart(contacts, rows, {
      known: (known) => keepKnownOutgoing(pool, known),
      others: (others) => keepOthers(pool, others),
    })
}

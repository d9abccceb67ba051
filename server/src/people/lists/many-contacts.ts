import type { ManyContacts } from '@patchbay/contract/app/lists.ts'
import type { Db } from '../../platform/database/db.ts'
import type { FairShare } from '../../platform/database/fair-share.ts'
import { withLockTimeout } from '../../platform/database/lock-timeout.ts'
import { type AccountId, type ContactId, isId, type ListId } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import { findIds } from '../contacts/found-ids.ts'
import { recognizeOptOuts } from '../contacts/opt-out.ts'
import { noList } from './add-contact.ts'
import { deleteMembers, hasList, insertMembers } from './store.ts'

type Ctx = Readonly<{ db: Db; share: FairShare; secretKey: Buffer }>
type ListRef = { accountId: AccountId; listId: ListId }

/**
 * Puts contacts on a list, a thousand in a transaction. What dies in between has put some of them on it, and can be
 * repeated. Contacts that are not there are counted: some may have been erased since they were chosen.
 */
export async function addManyToList(
  { db, share, secretKey }: Ctx,
  given: { accountId: AccountId; listId: string },
  which: ManyContacts,
): Promise<{ added: number; already: number; missing: number }> {
  const list = await requireList(db, given)
  const sum = { added: 0, already: 0, missing: 0 }
  await forEachPage({ db, share }, list, which, async (ids) => {
    const page = await withLockTimeout(db, async (tx) => {
      const members = await insertMembers(tx, list, ids)
      if (members) await recognizeOptOuts(tx, secretKey, { accountId: list.accountId, contactIds: ids })
      return members
    })
    if (!page) throw noList()
    sum.added += page.added
    sum.already += page.known - page.added
    sum.missing += ids.length - page.known
  })
  return sum
}

/** Takes contacts off a list, in the same way as `addManyToList` puts them on it. */
export async function removeManyFromList(
  { db, share }: Ctx,
  given: { accountId: AccountId; listId: string },
  which: ManyContacts,
): Promise<{ removed: number }> {
  const list = await requireList(db, given)
  let removed = 0
  await forEachPage({ db, share }, list, which, async (ids) => {
    removed += await deleteMembers(db, list, ids)
  })
  return { removed }
}

async function requireList(db: Db, { accountId, listId }: { accountId: AccountId; listId: string }): Promise<ListRef> {
  if (!isId('lst', listId) || !(await hasList(db, { accountId, listId }))) throw noList()
  return { accountId, listId }
}

type Work = (ids: ContactId[]) => Promise<void>

/** The contacts by their ids, or all that are found: a page at a time, each within a share of the connections. */
async function forEachPage(
  { db, share }: Pick<Ctx, 'db' | 'share'>,
  { accountId }: ListRef,
  { contactIds, found }: ManyContacts,
  work: Work,
): Promise<void> {
  if ((contactIds === undefined) === (found === undefined)) {
    throw new Refusal('INVALID_REQUEST', 'Give either contactIds or found.')
  }
  if (contactIds) {
    // One of another form is none that is there.
    await share(accountId, () => work([...new Set(contactIds)] as ContactId[]))
    return
  }
  const pages = findIds(db, accountId, found ?? {})
  for (let isOver = false; !isOver; ) {
    isOver = await share(accountId, async () => {
      const { done, value: ids } = await pages.next()
      if (!done) await work(ids)
      return done === true
    })
  }
}

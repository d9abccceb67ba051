import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { write } from '../../../helpers/bots.ts'
import { type Browser, type Inbox, startInbox } from '../../../helpers/inbox.ts'
import { insertManyConversations } from '../../../helpers/many-conversations.ts'

type Row = { externalId: string }

const conversations = 320
const personOf = (n: number) => `external-${n}`

/**
 * Conversations of the last ten minutes, each two seconds after the next: more than 300 within a step or two. They are in every list. Those that
 * are older than four minutes are as a server of before migration 64 wrote them.
 */
async function fill({ app, account, owner }: Inbox): Promise<void> {
  const { accountId } = account
  await insertManyConversations(app, account, conversations)
  const at = sql`now() - split_part(message_sid, '-', 2)::integer * interval '2 s'`
  await sql`update users set unread_since = now() - interval '1 day' where account_id = ${accountId}`.execute(app.db)
  await sql`update messages set created_at = ${at} where account_id = ${accountId}`.execute(app.db)
  await sql`
    update conversations c set assignee_id = ${owner.userId}, active_at = m.created_at, active_step = case
      when m.created_at < now() - interval '4 minutes' then date_trunc('minute', m.created_at) else activity_step(m.created_at) end
    from messages m where c.account_id = ${accountId} and m.account_id = c.account_id and m.contact_id = c.contact_id
  `.execute(app.db)
  await sql`insert into deliveries (account_id, id, contact_id, outgoing_seq, payload, receiver_id, author, error_category)
    select account_id, contact_id, contact_id, 1, '', 'reply', 'api', 'timeout' from conversations where account_id = ${accountId}
  `.execute(app.db)
}

/** Reads a list page by page. After each page somebody writes who was shown, somebody who was not, and somebody new. */
async function readWhileTheyWrite(
  { account }: Inbox,
  user: Browser,
  query: string,
): Promise<{ seen: string[]; wrote: Set<string> }> {
  const [seen, wrote]: [string[], Set<string>] = [[], new Set()]
  for (let before = '', n = 0; ; n += 1) {
    const page = await user.ok('GET', `/api/conversations?limit=37${query}${before}`)
    seen.push(...page.conversations.map(({ externalId }: Row) => externalId))
    if (page.next === null) return { seen, wrote }
    before = `&before=${page.next}`
    for (const fromId of [seen[n] ?? '', personOf(conversations - n * 7), `new ${n}`]) {
      await write(account, 'Hello', { fromId, channel: 'Web chat' })
      wrote.add(fromId)
    }
  }
}

for (const query of ['', '&filter=mine', '&filter=unread', '&filter=failed', '&channel=Web%20chat']) {
  test(`hundreds of conversations of one step are listed in their order, none twice and none left out, while messages come (${query})`, async () => {
    await using inbox = await startInbox()
    await fill(inbox)
    const everybody = Array.from({ length: conversations }, (_, n) => personOf(n + 1))
    const { seen, wrote } = await readWhileTheyWrite(inbox, inbox.owner, query)
    assert.equal(new Set(seen).size, seen.length, 'nobody is listed twice')
    assert.deepEqual(
      seen.filter((name) => !wrote.has(name)),
      everybody.filter((name) => !wrote.has(name)),
      'who did not write is listed in order',
    )
    assert.ok(wrote.size > 20)
  })
}

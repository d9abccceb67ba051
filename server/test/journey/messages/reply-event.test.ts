import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { replyEvent } from '../../../src/journey/messages/store.ts'
import { sharedApp } from '../../helpers/harness.ts'

const hostile = [
  ...[
    '',
    ' ',
    '"',
    '\\',
    '\\"',
    "'",
    '</script>',
    '{"a":1}',
    '\u2028\u2029',
    '\ufeff',
    '🧶👩‍👩‍👧',
    'é e\u0301',
    '\u202eabc',
  ],
  ...['\\u0000', '\ud7ff\ue000\uffff', '\u{10ffff}', 'a'.repeat(10_000)],
  Array.from({ length: 0x9f }, (_, code) => String.fromCharCode(code + 1)).join(''),
]

test('the body of a reply event has the bytes that JSON.stringify makes, whatever its texts hold', async () => {
  await using app = await sharedApp()
  const { accountId, userId } = await app.makeAccount()
  for (const [n, body] of hostile.entries()) {
    const [toId, channel] = [hostile.at(n - 1) ?? '', hostile.at(n - 2) ?? '']
    const { rows } = await sql<{ payload: string }>`
      select ${sql.raw(replyEvent)} as payload
      from (select ${accountId}::text as account_id, 'con_1'::text as contact_id, 'msg_1'::text as id, ${body}::text as body,
        ${toId}::text as to_id, ${channel}::text as channel) as fresh
    `.execute(app.db)
    assert.equal(
      rows[0]?.payload,
      JSON.stringify({ contactId: 'con_1', messageId: 'msg_1', userId, body, toId, channel }),
    )
  }
})

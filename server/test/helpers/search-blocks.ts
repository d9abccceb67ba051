import { insertBlocks, type Line } from '../../src/app/search/blocks/block-store.ts'
import { seal } from '../../src/app/search/blocks/keep-lines.ts'
import { lineOf, wordsOf } from '../../src/app/search/text/words.ts'
import type { AccountId, ContactId, MessageId } from '../../src/platform/ids.ts'
import type { TestApp } from './harness.ts'

type Said = { messageId: string; contactId: ContactId; text: string }

/** Adds a message to the search, in a block of its own. */
export async function addToSearch({ db }: TestApp, accountId: AccountId, said: Said): Promise<void> {
  await db.transaction().execute((tx) => insertBlocks(tx, accountId, [seal(accountId, [lineFor(said)])]))
}

/**
 * Adds blocks that have all these words, each word in another message. All are newer than any message that was written, so
 * a search for the words compares them first, in vain.
 */
export async function addNewerApart(
  { db }: TestApp,
  accountId: AccountId,
  { words, blocks }: { words: string[]; blocks: number },
): Promise<void> {
  const contactId = `con_${'0'.repeat(32)}` as ContactId
  const idOf = (n: number) => `msg_f${n.toString(16).padStart(31, '0')}`
  const made = Array.from({ length: blocks }, (_, n) =>
    seal(
      accountId,
      words.map((text, k) => lineFor({ messageId: idOf(n * words.length + k), contactId, text })),
    ),
  )
  await db.transaction().execute((tx) => insertBlocks(tx, accountId, made))
}

function lineFor({ messageId, contactId, text }: Said): Line {
  return { messageId: messageId as MessageId, contactId, text: lineOf(wordsOf(text)) }
}

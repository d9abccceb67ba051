import { findAccount } from '../src/accounts/store.ts'
import type { ConversationRef } from '../src/bot/conversation/conversation-store.ts'
import { conversationOf, handBack, reply as sendReply, switchOff, takeOver } from '../src/bot/conversation/take-over.ts'
import type { Db } from '../src/platform/database/db.ts'
import { notifyWorkers } from '../src/work/notify.ts'
import { type CommandCtx, command } from './shared/command.ts'

export const reply = command({
  summary: 'write to a contact as a person; the bot is silent there from then on',
  required: ['account', 'contact', 'body'],
  run: (ctx, { body, ...named }) =>
    withContact(ctx, named, (db, conversation) =>
      sendReply({ db, wakeDelivery: () => notifyWorkers(db, 'delivery') }, conversation, body),
    ),
})

export const takeover = command({
  summary: 'a person has the conversation; the bot is silent',
  required: ['account', 'contact'],
  run: (ctx, named) => withContact(ctx, named, takeOver),
})

export const handback = command({
  summary: 'the bot has the conversation again, for new messages; with --answer also for those nobody has answered',
  required: ['account', 'contact'],
  flags: ['answer'],
  run: (ctx, { answer, ...named }) =>
    withContact(ctx, named, (db, conversation) => handBack(db, conversation, { answersOld: answer })),
})

/** `bot off --contact`: of one contact only. */
export function silenceContact(ctx: CommandCtx, named: Named) {
  return withContact(ctx, named, switchOff)
}

/** `bot on --contact`: the same as handing it back. */
export function wakeContact(ctx: CommandCtx, named: Named) {
  return withContact(ctx, named, (db, conversation) => handBack(db, conversation))
}

type Named = { account: string; contact: string }

export function withContact<Value>(
  { withDatabase }: CommandCtx,
  { account, contact }: Named,
  work: (db: Db, conversation: ConversationRef) => Promise<Value>,
): Promise<Value> {
  return withDatabase(async (db) => work(db, conversationOf((await findAccount(db, account)).id, contact)))
}

import { findAccount } from '../src/business/accounts/store.ts'
import type { ConversationRef } from '../src/journey/conversations/conversation-store.ts'
import {
  conversationOf,
  handBack,
  replyByOf,
  reply as sendReply,
  switchOff,
  takeOver,
} from '../src/journey/conversations/take-over.ts'
import type { Db } from '../src/platform/database/db.ts'
import { notifyWorkers } from '../src/platform/notify/notify.ts'
import type { Run } from './declarations.ts'
import type { CommandCtx } from './shared/command.ts'

export const reply: Run<'reply'> = (ctx, { body, channel, ...named }) =>
  withContact(ctx, named, (db, conversation) =>
    sendReply({ db, wakeDelivery: () => notifyWorkers(db, 'delivery') }, conversation, {
      body,
      by: replyByOf(channel),
    }),
  )

export const takeover: Run<'takeover'> = (ctx, named) => withContact(ctx, named, takeOver)

export const handback: Run<'handback'> = (ctx, { answer, ...named }) =>
  withContact(ctx, named, (db, conversation) => handBack(db, conversation, { answersOld: answer }))

/** `bot off --contact` */
export function switchBotOff(ctx: CommandCtx, named: Named) {
  return withContact(ctx, named, switchOff)
}

/** `bot on --contact`: the same as `handback`. */
export function switchBotOn(ctx: CommandCtx, named: Named) {
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

import { readFile, stat } from 'node:fs/promises'
import { limits } from '@patchbay/contract/limits.ts'
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
import { dropFile, keepOutgoingFile } from '../src/journey/media/outgoing/keep-file.ts'
import type { Db } from '../src/platform/database/db.ts'
import { notifyWorkers } from '../src/platform/notify/notify.ts'
import { OperatorError } from '../src/platform/operator-error.ts'
import type { Run } from './declarations.ts'
import type { CommandCtx } from './shared/command.ts'

export const reply: Run<'reply'> = (ctx, { body = '', channel, file, ...named }) =>
  withContact(ctx, named, async (db, conversation) => {
    const by = replyByOf(channel)
    const fileId = file === undefined ? undefined : await keepFile(db, conversation, file)
    try {
      const wakeDelivery = () => notifyWorkers(db, 'delivery')
      return await sendReply({ db, wakeDelivery }, conversation, { body, by, fileId })
    } catch (error) {
      if (fileId !== undefined) await dropFile(db, conversation, fileId).catch(() => {}) // else it goes by its age
      throw error
    }
  })

async function keepFile(db: Db, conversation: ConversationRef, path: string): Promise<string> {
  const found = await stat(path).catch((cause) => {
    throw new OperatorError(`Cannot read ${path}; check the path.`, { cause })
  })
  if (!found.isFile()) throw new OperatorError(`${path} is no file.`)
  if (found.size > limits.mediaBytes) {
    throw new OperatorError(`${path} is too large; a file may have at most ${limits.mediaBytes / 1_048_576} MiB.`)
  }
  const ref = { ...conversation, userId: undefined }
  return (await keepOutgoingFile(db, ref, { fileName: path, bytes: await readFile(path) })).id
}

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

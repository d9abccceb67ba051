import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db } from '../../src/platform/database/db.ts'
import { sharedUnless, type TestAccount, type TestApp } from './harness.ts'
import { incoming, incomingPath } from './message-requests.ts'
import { patienceMs } from './until.ts'

export const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
export const binary = 'application/octet-stream'

/** An app that also fetches files, with this timeout. */
export function startFetching(besides?: TestApp, attemptMs?: number): Promise<TestApp> {
  return sharedUnless({ ROLE: 'all' }, besides, attemptMs)
}

/** Sends a message with a file by its address; it is stored whatever the address is. */
export async function sendFile(
  account: TestAccount,
  mediaUrl: string,
  mediaContentType = 'image/png',
): Promise<string> {
  const message = incoming({ messageSid: mediaUrl, mediaUrl, mediaContentType })
  const { status, body } = await account.post(incomingPath, message)
  assert.equal(status, 200, JSON.stringify(body))
  return body.messageId
}

/** `attempts`: the finished ones. */
export type File = { accountId: string; messageId: string; state: string; attempts: number; dueAt: Date | null }

/** All files in the order in which they were sent, once they match the condition; fails after a while. */
export async function untilFiles({ db }: { db: Db }, areReady: (files: File[]) => boolean): Promise<File[]> {
  const giveUpAt = performance.now() + patienceMs
  for (;;) {
    const files = await db
      .selectFrom('attachments')
      .select(['accountId', 'messageId', 'state', 'dueAt'])
      .select(sql<number>`attempts - case when lease_token is null then 0 else 1 end`.as('attempts'))
      .orderBy('messageId')
      .execute()
    if (areReady(files)) return files
    if (performance.now() > giveUpAt) {
      throw new Error(`the files did not match the condition: ${JSON.stringify(files.slice(0, 5))}`)
    }
    await sleep(15)
  }
}

export const isDone = (files: File[]): boolean => files.every(({ dueAt }) => dueAt === null)

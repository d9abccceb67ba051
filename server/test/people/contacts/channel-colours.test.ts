import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findChannels } from '../../../src/people/contacts/channel-store.ts'
import type { AccountId } from '../../../src/platform/ids.ts'
import { sharedApp, type TestApp } from '../../helpers/harness.ts'

const labels = ['SMS', 'Web chat', 'Instagram', 'Telegram', 'Signal', 'Messenger', 'Line', 'Viber']

test('channels that are first shown at the same moment get colours of their own', async () => {
  await using app = await sharedApp()
  const { accountId } = await app.makeAccount()
  const shown = await Promise.all(labels.map((label) => coloursOf(app, accountId, [label])))
  assert.deepEqual(shown.flat().toSorted(), [1, 2, 3, 4, 5, 6, 7, 8])
  // Requests that show the same channel agree about it.
  const both = await Promise.all([1, 2, 3].map(() => coloursOf(app, accountId, ['WeChat', 'KakaoTalk'])))
  assert.deepEqual(both, [
    [1, 2],
    [1, 2],
    [1, 2],
  ])
})

test('a new channel gets the colour that the fewest channels of its own account have', async () => {
  await using app = await sharedApp()
  const [{ accountId }, other] = [await app.makeAccount(), await app.makeAccount()]
  assert.deepEqual(await coloursOf(app, accountId, labels), [1, 2, 3, 4, 5, 6, 7, 8])
  assert.deepEqual(await coloursOf(app, accountId, ['Ninth', 'Tenth']), [1, 2])
  for (const label of ['Instagram', 'Ninth']) {
    await app.db.deleteFrom('channelLabels').where('accountId', '=', accountId).where('label', '=', label).execute()
  }
  assert.deepEqual(await coloursOf(app, accountId, ['WeChat', 'SMS', 'KakaoTalk']), [3, 1, 1])
  assert.deepEqual(await coloursOf(app, other.accountId, ['WeChat']), [1])
})

async function coloursOf(app: TestApp, accountId: AccountId, wanted: string[]): Promise<number[]> {
  const channelOf = await findChannels(app.db, accountId, wanted)
  return wanted.map((label) => channelOf(label).colour)
}

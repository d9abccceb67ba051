import assert from 'node:assert/strict'
import { test } from 'node:test'
import { showContact } from '../../../src/app/removal/erasure/erase-contact.ts'
import { readMessages } from '../../../src/journey/bot/decide/context-store.ts'
import { contactOf, conversation, holdTurnsBack, untilAnswered, write } from '../../helpers/bots.ts'
import { startDelivering } from '../../helpers/deliveries.ts'

test('of a long message a turn reads no more than any engine does, and still recognizes an opt-out and an echo', async () => {
  await using app = await startDelivering()
  const account = await app.makeAccount()
  await holdTurnsBack(app)
  const long = 'word '.repeat(13_000)
  await write(account, long)
  await write(account, 'short')
  const contactId = await contactOf(app)
  const turn = {
    accountId: account.accountId,
    contactId,
    fromSeq: 1n,
    claimedSeq: 2n,
    token: '',
    attempts: 1,
    superseded: 0,
    trace: null,
    isParked: false,
  }
  const read = await readMessages(app.db, turn)
  assert.deepEqual(
    read.map(({ body }) => body),
    [long.slice(0, 20_000), 'short'],
  )
  const customData = { fromId: 'ben', customChannel: 'shop', body: long }
  assert.equal((await account.post('/send_custom_channel_message', { customData })).status, 200)
  await write(account, long, { fromId: 'ben' })
  await write(account, `stop\n${' '.repeat(60_000)}`)
  await untilAnswered(app)
  assert.equal((await showContact(app.db, turn)).optedOutBy, 'contact')
  assert.equal((await conversation(app, 'ben')).filter((said) => said.startsWith('bot:')).length, 0, 'it is an echo')
})

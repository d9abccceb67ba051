import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sayNext, sayOutcome, sayWhy, stateOf } from '../../src/channels/one/log/say-state.ts'
import { delivery } from '../inbox/helpers.ts'

const now = new Date('2026-11-16T10:00:00Z')

const fault = (category: string, detail: string | null, httpStatus: number | null = null) => ({
  category,
  detail,
  httpStatus,
})

/** What a row of the log says of a failed message. */
function said(of: ReturnType<typeof fault>, fields: Parameters<typeof delivery>[1] = {}): string {
  const failed = { ...delivery('Failed', { fault: of, ...fields }), createdAt: now.toISOString() }
  return `${sayWhy(of, 'Telegram')} ${sayNext(failed, now)}`.trim()
}

test('why a message failed, and what happens next, are whole sentences, whether or not the provider ends its own', () => {
  const blocked = 'Forbidden: bot was blocked by the user'
  const nextAttemptAt = new Date(now.getTime() + 65_000).toISOString()
  assert.equal(
    said(fault('provider_error', 'Internal Server Error', 500), { nextAttemptAt }),
    'Telegram says: “Internal Server Error” (500). Try 1 of 11. Again by itself in 1:05.',
  )
  assert.equal(
    said(fault('provider_error', 'Try later.', 500)),
    'Telegram says: “Try later” (500). Not again by itself.',
  )
  assert.equal(said(fault('blocked', blocked, 403)), `Telegram says: “${blocked}” (403). Not again by itself.`)
  assert.equal(
    said(fault('not_reached', 'connect ECONNREFUSED'), { nextAttemptAt: now.toISOString() }),
    'The provider could not be reached. Try 1 of 11. Again by itself.',
  )
  const others = ['channel_removed', 'no_address', 'stopped', 'opted_out', 'expired', 'in_doubt', 'too_long']
  for (const category of [...others, 'file_refused', 'file_removed', 'of a later version']) {
    assert.match(said(fault(category, 'without an end')), /[.?!]$/, category)
  }
})

test('what waits for its channel, what is in doubt and what was never asked for are told from what failed', () => {
  const states = ['endpoint_paused', 'in_doubt', 'expired', 'provider_error'].map((category) =>
    stateOf({ status: 'Failed', fault: fault(category, null) }),
  )
  assert.deepEqual(states, ['held', 'in doubt', 'not sent', 'failed'])
  assert.equal(stateOf({ status: 'Sent', fault: null }), 'sent')
})

test('of a message that was taken it says whether more is heard, and how far all of its parts have come', () => {
  const part = {
    n: 1,
    text: 'Hello',
    acceptedAt: now.toISOString(),
    says: null,
    doubtSince: null,
    resentAt: null,
    code: null,
    detail: null,
  }
  const at = (minute: number) => new Date(now.getTime() + minute * 60_000).toISOString()
  const arrived = (deliveredAt: number | null, readAt: number | null) => ({
    ...{
      ...part,
      deliveredAt: deliveredAt === null ? null : at(deliveredAt),
      readAt: readAt === null ? null : at(readAt),
    },
    failedAt: null,
  })
  const outcome = (tells: boolean, ...parts: ReturnType<typeof arrived>[]) => {
    const sent = { ...delivery('Sent'), sentAt: now.toISOString(), createdAt: now.toISOString() }
    return sayOutcome({ delivery: sent as never, tells, attempts: [], parts }, 'SMS').replace(
      /\d+:\d+:\d+( [AP]M)?/,
      'then',
    )
  }
  assert.equal(outcome(false, arrived(null, null)), 'SMS took it at then, and tells us no more than this.')
  assert.equal(
    outcome(true, arrived(1, null), arrived(null, null)),
    'SMS took it at then, and says later whether it arrived.',
  )
  assert.equal(outcome(true, arrived(1, null), arrived(2, 3)), 'It was delivered at then.')
  assert.equal(outcome(true, arrived(1, 4), arrived(2, 3)), 'It was read at then.')
  const failed = {
    ...delivery('Failed', { fault: fault('not_delivered', '30003 Unreachable') }),
    sentAt: null,
    createdAt: now.toISOString(),
  }
  assert.equal(
    sayOutcome({ delivery: failed as never, tells: true, attempts: [], parts: [arrived(null, null)] }, 'SMS'),
    'SMS took it, and said later that it did not arrive.',
  )
})

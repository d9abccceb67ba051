import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AlertState } from '@patchbay/contract/app/alerts.ts'
import { freshIn, type KnownAlerts } from '../../src/notices/fresh.ts'

const at = (minute: number) => new Date(Date.UTC(2026, 0, 31, 8, minute)).toISOString()
const waits = (contactId: string, minute: number) => ({ contactId, name: null, since: at(minute) })
const state = (waiting: AlertState['waiting'], troubles: AlertState['troubles'] = []): AlertState => ({
  waiting,
  troubles,
})

/** What is notified of at each step. */
function follow(...steps: (AlertState & { now?: number })[]): string[][] {
  let known: KnownAlerts | undefined
  return steps.map((step, n) => {
    const fresh = freshIn(step, known, step.now ?? n * 1_000)
    known = JSON.parse(JSON.stringify(fresh.known)) // as it is kept
    return [...fresh.waiting.map(({ contactId }) => contactId), ...fresh.troubles.map(({ key }) => key)]
  })
}

test('a conversation is notified of once when it begins to wait, and again when it begins anew', () => {
  const told = follow(
    state([waits('old', 1)]),
    state([waits('a', 2), waits('old', 1)]),
    state([waits('a', 2), waits('old', 1)]),
    state([waits('old', 1)]),
    state([waits('a', 4), waits('old', 1)]),
  )
  assert.deepEqual(told, [[], ['a'], [], [], ['a']])
})

test('the first one of an empty inbox is notified of, whatever the clock of the browser says', () => {
  assert.deepEqual(follow({ ...state([]), now: Date.UTC(2030, 0, 1) }, state([waits('a', 2)])), [[], ['a']])
})

test('one that committed late is notified of, and one that is listed again because newer ones are done is not', () => {
  const told = follow(
    state([waits('b', 9)]),
    state([waits('b', 9), waits('late', 8)]),
    state([waits('b', 9), waits('late', 8), waits('listed again', 1)]),
  )
  assert.deepEqual(told, [[], ['late'], []])
})

test('a trouble is notified of when it has lasted, once until it is over', () => {
  const bot = { condition: 'bot' as const, key: 'cmp_1', subject: 'cmp_1', name: 'Shop' }
  const receiver = { condition: 'receiver' as const, key: 'reply 1', subject: 'reply', name: null }
  const told = follow(
    state([]),
    { ...state([], [bot, receiver]), now: 10_000 },
    { ...state([], [receiver]), now: 30_000 },
    { ...state([], [bot, receiver]), now: 40_000 },
    { ...state([], [bot, receiver]), now: 99_000 },
    { ...state([], [bot, receiver]), now: 101_000 },
    { ...state([], [bot, receiver]), now: 900_000 },
    { ...state([], [{ ...receiver, key: 'reply 2' }]), now: 910_000 },
  )
  assert.deepEqual(told, [[], ['reply 1'], [], [], [], ['cmp_1'], [], ['reply 2']])
})

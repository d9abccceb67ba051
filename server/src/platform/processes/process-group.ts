/**
 * This folder runs one program in several processes: this file starts them and replaces those that die, `peer.ts` is the
 * channel between them and the process that started them.
 */

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../log.ts'
import { OperatorError } from '../operator-error.ts'
import { openPeer, type Peer } from './peer.ts'

/** A process of the group that is ready. Its number stays the same when it is replaced. */
type Member = { index: number; pid: number | undefined; peer: Peer }

export type ProcessGroup = {
  /** The processes that are ready, in the order of their numbers. */
  members: () => Member[]
  /** None of them can be started any more. */
  failed: Promise<OperatorError>
  /** Tells all to stop, and returns when all have ended. */
  stop: () => Promise<void>
}

type Options = {
  count: number
  program: string
  log: Log
  /** Called for each new process before it is ready, to answer what it asks. */
  meet: (peer: Peer, index: number) => void
  /** Called when a process has become ready, or has ended. */
  onChange: () => void
}

/** A process that lived for less than this is replaced after a pause, which doubles each time. */
const shortLifeMs = 10_000
const firstPauseMs = 500
const longestPauseMs = 30_000

/** After so many starts in a row that failed, while no other process serves, it gives up. */
const mostFailedStarts = 6

/** Longer than requests and deliveries in flight may take. */
const stopsWithinMs = 40_000

/** Starts the processes and returns when all are ready. One that cannot start ends the others, and is thrown. */
export async function startProcesses(options: Options): Promise<ProcessGroup> {
  const { count, log, onChange } = options
  const slots = Array.from({ length: count }, (_, at) => ({ index: at + 1, life: undefined as Life | undefined }))
  const failed = Promise.withResolvers<OperatorError>()
  let isStopping = false
  const ready = () => slots.flatMap(({ life }) => (life?.member ? [life.member] : []))

  async function keep(slot: (typeof slots)[number]): Promise<void> {
    let failures = 0
    while (!isStopping && slot.life) {
      const { member, code, signal, problem, ms } = await slot.life.ended
      onChange()
      if (isStopping) return
      log.error({ member: slot.index, code, signal, ms, reason: problem }, 'a serving process ended; starting another')
      failures = ms < shortLifeMs ? failures + 1 : 0
      if (!member && failures >= mostFailedStarts && ready().length === 0) return failed.resolve(cannotStart(problem))
      if (failures > 1)
        await sleep(Math.min(longestPauseMs, firstPauseMs * 2 ** (failures - 2)), undefined, { ref: false })
      if (!isStopping) slot.life = live(slot.index, options)
    }
  }

  async function stop(): Promise<void> {
    isStopping = true
    await Promise.all(slots.map(({ life }) => life && end(life, log)))
  }

  for (const slot of slots) slot.life = live(slot.index, options)
  try {
    await Promise.all(slots.map(({ life }) => life?.ready))
  } catch (error) {
    await stop()
    throw error
  }
  for (const slot of slots) void keep(slot)
  return { members: ready, failed: failed.promise, stop }
}

type Exit = { member: Member | undefined; code: number | null; signal: string | null; problem?: string; ms: number }
type Life = {
  child: ChildProcess
  peer: Peer
  /** The member while it is ready. */
  member: Member | undefined
  ready: Promise<void>
  ended: Promise<Exit>
}

function live(index: number, { program, log, meet, onChange }: Options): Life {
  const startedAt = performance.now()
  // Standard output is for the result of the command; the log of all goes to standard error.
  const child = fork(program, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const peer = openPeer(child)
  const became = Promise.withResolvers<void>()
  became.promise.catch(() => {}) // of a replacement, nobody waits for it
  let problem: string | undefined
  const ended = Promise.withResolvers<Exit>()
  const life: Life = { child, peer, member: undefined, ready: became.promise, ended: ended.promise }
  function onEnd(code: number | null, signal: string | null): void {
    const { member } = life
    life.member = undefined
    became.reject(cannotStart(problem))
    ended.resolve({ member, code, signal, ...(problem && { problem }), ms: Math.round(performance.now() - startedAt) })
  }
  child.once('exit', onEnd)
  child.once('error', (error) => {
    problem = error.message
    if (child.pid === undefined) onEnd(null, null) // it could not be started at all
  })
  peer.on('cannot start', (reason) => {
    problem = String(reason)
  })
  peer.on('ready', () => {
    life.member = { index, pid: child.pid, peer }
    log.info({ member: index, pid: child.pid }, 'a serving process is ready')
    became.resolve()
    onChange()
  })
  meet(peer, index)
  return life
}

function cannotStart(problem: string | undefined): OperatorError {
  return new OperatorError(problem ?? 'A serving process ended before it was ready; its reason is in the log above.')
}

async function end({ child, peer, ended }: Life, log: Log): Promise<void> {
  peer.tell('stop')
  const timer = setTimeout(() => {
    log.error({ pid: child.pid }, 'a serving process did not stop in time and was killed')
    child.kill('SIGKILL')
  }, stopsWithinMs)
  await ended
  clearTimeout(timer)
  if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) await once(child, 'exit')
}

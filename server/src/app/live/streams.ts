/**
 * Entry of the live stream: a browser holds one response open (`GET /api/live`), and is told what may have changed. It
 * fetches the truth by itself, so a hint needs no order, no number and no history. `platform/notify/hints.ts` is how every
 * process sends hints; `compare.ts` finds the changes whose hint was lost.
 */

import { beatSeconds } from '@patchbay/contract/app/live.ts'
import type { FastifyReply } from 'fastify'
import { findAlive, type Session } from '../../business/sessions/session-store.ts'
import type { Db } from '../../platform/database/db.ts'
import type { Log } from '../../platform/log.ts'
import { type HintTopic, listenForHints, readSign, type Sign } from '../../platform/notify/hints.ts'
import type { Listener } from '../../platform/notify/listen.ts'
import { busy } from '../../platform/refusal.ts'
import { findLost } from './compare.ts'
import { openRegistry, type Registry } from './registry.ts'
import { readInstallation } from './store.ts'
import { encode, type Stream } from './stream.ts'

type HearSign = (sign: Sign) => void

export type Streams = {
  /** Answers a request with a stream, until one of the two sides ends it. */
  open: (session: Session, reply: FastifyReply) => Promise<void>
  /** Hears what changes in an account, and what was lost on the way. Returns what ends it. */
  follow: Registry['follow']
  /** Hears what is told and stored nowhere, of all accounts. Returns what ends it. */
  hearSigns: (hear: HearSign) => () => void
  /** Another one after the data was restored from a copy. */
  installation: () => Promise<string>
  /** Ends all streams, at shutdown. */
  end: () => void
}

type StreamsCtx = Readonly<{ db: Db; listener: Listener; log: Log }>

export function openStreams(ctx: StreamsCtx): Streams {
  const registry = openRegistry()
  const installation = openInstallation(ctx.db)
  const timers = startTimers(ctx, registry)
  const signHearers = new Set<HearSign>()
  let isEnded = false

  function hearAll(changed: HintTopic[]): void {
    for (const sign of changed.map(readSign)) if (sign) for (const hear of signHearers) hear(sign)
  }

  listenForHints(ctx.listener, {
    hints: ({ accountId, changed }) => {
      if (signHearers.size > 0) hearAll(changed)
      const audience = registry.of(accountId)
      audience?.tell(changed)
      if (audience && changed.includes('sessions')) attempt(ctx.log, () => endSignedOut(ctx.db, [...audience.streams]))
    },
    listening: () => attempt(ctx.log, sayHello),
  })

  /** What was committed since the connection was lost was not announced, and it may be another database by now. */
  async function sayHello(): Promise<void> {
    installation.forget()
    for (const audience of registry.audiences()) {
      audience.noteFetched()
      for (const follower of audience.followers) follower(['conversations'])
    }
    if (registry.count() === 0) return
    const hello = await installation.read().then(helloOf, () => undefined)
    for (const stream of registry.streams()) hello ? stream.write(hello) : stream.end() // it comes back, and asks again
  }

  return {
    follow: registry.follow,
    hearSigns: (hear) => {
      signHearers.add(hear)
      return () => void signHearers.delete(hear)
    },
    installation: installation.read,
    open: async (session, reply) => {
      const hello = helloOf(await installation.read())
      if (isEnded) throw busy() // the server is stopping
      registry.add(session, reply).write(hello) // first added: what is committed from now on is announced
    },
    end: () => {
      isEnded = true
      for (const timer of timers) clearInterval(timer)
      for (const stream of registry.streams()) stream.end()
    },
  }
}

const helloOf = (installation: string) => encode({ kind: 'hello', installation })

/** How often changes whose hint was lost, and sessions that have ended, are looked for. */
const checkEveryMs = 5_000

function startTimers({ db, log }: StreamsCtx, registry: Registry): NodeJS.Timeout[] {
  async function check(): Promise<void> {
    await endSignedOut(db, registry.streams())
    for (const { audience, changed } of await findLost(db, registry.audiences())) audience.tell(changed)
  }
  const beat = () => {
    for (const stream of registry.streams()) stream.write(encode({ kind: 'beat' }))
  }
  return [
    setInterval(() => registry.audiences().length > 0 && attempt(log, check), checkEveryMs).unref(),
    setInterval(beat, beatSeconds * 1_000).unref(),
  ]
}

function attempt(log: Log, work: () => Promise<void>): void {
  work().catch((error) => log.warn({ reason: String(error) }, 'could not check the live streams; trying again'))
}

/** The id of the installation, read once for each connection of the listener. */
function openInstallation(db: Db): { read: () => Promise<string>; forget: () => void } {
  let known: Promise<string> | undefined
  const forget = () => {
    known = undefined
  }
  return {
    forget,
    read: () => {
      known ??= readInstallation(db).catch((error) => {
        forget()
        throw error
      })
      return known
    },
  }
}

/** Ends the streams whose session has ended or shows another account by now, in this process or in another. */
async function endSignedOut(db: Db, streams: Stream[]): Promise<void> {
  if (streams.length === 0) return
  const alive = await findAlive(db, [...new Set(streams.map(({ session }) => session.tokenHash))])
  for (const stream of streams) {
    if (alive.get(stream.session.tokenHash) === stream.session.accountId) continue
    stream.write(encode({ kind: 'signed out' }))
    stream.end()
  }
}

/**
 * Entry of the bot: this stage claims due turns (`turns/`), `answer.ts` decides who answers (`decide/`), generates the
 * answer and finishes it (`finish.ts`). `conversation/` is how people take over, hand back and opt out.
 */

import type { Pool } from 'pg'
import { startStage } from '../../platform/jobs/loop.ts'
import type { Instruments } from '../../platform/metrics/instruments.ts'
import { isContact, listenForHints } from '../../platform/notify/hints.ts'
import type { Listener } from '../../platform/notify/listen.ts'
import { answerTurn } from './answer.ts'
import type { BotCtx } from './ctx.ts'
import { openAccountBackoff } from './turns/account-backoff.ts'
import { openClaimPace } from './turns/claim-pace.ts'
import { type Claimed, openClaim } from './turns/claim-store.ts'
import { startHeartbeat } from './turns/heartbeat.ts'
import { holdBack } from './turns/hold-back.ts'

/**
 * Turns in progress in this process, and of one account in all processes together. Those that wait for a language model
 * do not count for the first: they have slots of their own, see `answers/engines/models/circuit-breaker.ts`.
 */
const slots = 32
const perAccount = 8

/** While more is due than may be in progress, a claim comes when so many turns have ended. */
const claimsAfter = perAccount / 2

/** Each message is a hint, and there may be thousands a second: claims that hints ask for are so far apart. */
const leastApartMs = 100

type StageCtx = Omit<BotCtx, 'backOffAccount'> & {
  pool: Pool
  listener: Listener
  instruments: Pick<Instruments, 'commits'>
}

export function startBot({ listener, ...given }: StageCtx): {
  wake: () => void
  stop: () => Promise<void>
} {
  const backoff = openAccountBackoff(() => stage.wake())
  const ctx = { ...given, backOffAccount: backoff.add }
  const heartbeat = startHeartbeat(ctx.db, ctx.log)
  const claim = holdBack(openClaim(ctx.pool), { meter: ctx.instruments.commits.incoming, slots })
  const pace = openClaimPace(claimsAfter, () => stage.wake())
  let last: Claimed | undefined
  const stage = startStage(
    {
      name: 'bot',
      concurrency: slots,
      leastFree: claimsAfter,
      claim: async (mostAtOnce) => {
        const claimed = await claim({ mostAtOnce, perAccount, without: backoff.accounts() })
        last = claimed
        pace.claimed(claimed)
        const { turns } = claimed
        for (const { accountId, contactId } of turns) ctx.hint(accountId, contactId) // the bot is writing
        return turns
      },
      dueInMs: () => last?.nextInMs,
      mayFindMore: () => last?.mayFindMore ?? true,
      run: async (turn, withoutSlot) => {
        using held = heartbeat.hold(turn)
        const end = pace.begin()
        await answerTurn(ctx, turn, { signal: held.signal, withoutSlot }).finally(() => {
          ctx.hint(turn.accountId, turn.contactId)
          end()
        })
      },
    },
    ctx.log,
  )
  const stopListening = wakeByHints(listener, stage.wake)
  return {
    wake: () => {
      heartbeat.beat()
      stage.wake()
    },
    stop: async () => {
      stopListening()
      heartbeat.stop()
      await stage.stop()
    },
  }
}

/**
 * A message may owe an answer, at once or after a moment: a claim finds out when. Without hints the stage would have to claim
 * ten times a second, which was most of what a server with nothing to do did.
 */
function wakeByHints(listener: Listener, wake: () => void): () => void {
  let timer: NodeJS.Timeout | undefined
  let wokenAt = Number.NEGATIVE_INFINITY
  function wakeSoon(): void {
    timer ??= setTimeout(
      () => {
        timer = undefined
        wokenAt = performance.now()
        wake()
      },
      Math.max(0, wokenAt + leastApartMs - performance.now()),
    )
  }
  const stop = listenForHints(listener, {
    hints: ({ changed }) => {
      if (changed.some((one) => isContact(one) || one === 'conversations')) wakeSoon()
    },
    listening: wakeSoon,
  })
  return () => {
    stop()
    clearTimeout(timer)
  }
}

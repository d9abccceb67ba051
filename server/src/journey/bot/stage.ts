/**
 * Entry of the bot: this stage claims due turns (`turns/`), `answer.ts` decides who answers (`decide/`), generates the
 * answer and finishes it (`finish.ts`). `conversation/` is how people take over, hand back and opt out.
 */

import type { Pool } from 'pg'
import { startStage } from '../../platform/jobs/loop.ts'
import { answerTurn } from './answer.ts'
import type { BotCtx } from './ctx.ts'
import { openAccountBackoff } from './turns/account-backoff.ts'
import { openClaim } from './turns/claim-store.ts'
import { startHeartbeat } from './turns/heartbeat.ts'

/**
 * Turns in progress in this process, and of one account in all processes together. Those that wait for a language model
 * do not count for the first: they have slots of their own, see `answers/engines/models/circuit-breaker.ts`.
 */
const slots = 32
const perAccount = 8

/** Turns become due a moment after the last message, and nothing wakes the stage then. */
const pollMs = 100

export function startBot(given: Omit<BotCtx, 'backOffAccount'> & { pool: Pool }): {
  wake: () => void
  stop: () => Promise<void>
} {
  const backoff = openAccountBackoff(() => stage.wake())
  const ctx = { ...given, backOffAccount: backoff.add }
  const heartbeat = startHeartbeat(ctx.db, ctx.log)
  const claim = openClaim(ctx.pool)
  const stage = startStage(
    {
      name: 'bot',
      concurrency: slots,
      pollMs,
      claim: async (mostAtOnce) => {
        const turns = await claim({ mostAtOnce, perAccount, without: backoff.accounts() })
        for (const { accountId, contactId } of turns) ctx.hint(accountId, contactId) // the bot is writing
        return turns
      },
      run: async (turn, withoutSlot) => {
        using held = heartbeat.hold(turn)
        await answerTurn(ctx, turn, { signal: held.signal, withoutSlot }).finally(() =>
          ctx.hint(turn.accountId, turn.contactId),
        )
      },
    },
    ctx.log,
  )
  return {
    wake: () => {
      heartbeat.beat()
      stage.wake()
    },
    stop: async () => {
      heartbeat.stop()
      await stage.stop()
    },
  }
}

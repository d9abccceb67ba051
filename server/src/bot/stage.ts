import type { Pool } from 'pg'
import { startStage } from '../work/loop.ts'
import { answerTurn } from './answer.ts'
import type { BotCtx } from './ctx.ts'
import { openClaim } from './turns/claim-store.ts'
import { startHeartbeat } from './turns/heartbeat.ts'
import { openPauses } from './turns/pauses.ts'

/**
 * Turns at work in this process; of one account in all processes together. Those that wait for a language model do not
 * count for the first: they have slots of their own, see `engines/models/circuit-breaker.ts`.
 */
const room = 32
const perAccount = 8

/** Answers are due a moment after the last message, and nobody calls then. */
const pollMs = 100

/** The bot: takes up answers that are owed when their time has come. */
export function startBot(given: Omit<BotCtx, 'pause'> & { pool: Pool }): {
  wake: () => void
  stop: () => Promise<void>
} {
  const pauses = openPauses(() => stage.wake())
  const ctx = { ...given, pause: pauses.note }
  const heartbeat = startHeartbeat(ctx.db, ctx.log)
  const claim = openClaim(ctx.pool)
  const stage = startStage(
    {
      name: 'bot',
      room,
      pollMs,
      claim: (mostAtOnce) => claim({ mostAtOnce, perAccount, without: pauses.list() }),
      run: async (turn, aside) => {
        using held = heartbeat.hold(turn)
        await answerTurn(ctx, turn, { signal: held.signal, aside })
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

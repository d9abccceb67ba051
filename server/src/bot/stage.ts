import type { Pool } from 'pg'
import { startStage } from '../work/loop.ts'
import { answerTurn } from './answer.ts'
import { openClaim } from './claim-store.ts'
import type { BotCtx } from './ctx.ts'
import { startHeartbeat } from './heartbeat.ts'

/** Turns at work in this process; of one account in all processes together. A slow model must not hold up the others. */
const room = 32
const perAccount = 8

/** Answers are due a moment after the last message, and nobody calls then. */
const pollMs = 100

/** The bot: takes up answers that are owed when their time has come. */
export function startBot(ctx: BotCtx & { pool: Pool }): { wake: () => void; stop: () => Promise<void> } {
  const heartbeat = startHeartbeat(ctx.db, ctx.log)
  const claim = openClaim(ctx.pool)
  const stage = startStage(
    {
      name: 'bot',
      room,
      pollMs,
      claim: (mostAtOnce) => claim({ mostAtOnce, perAccount, without: [] }),
      run: async (turn) => {
        using held = heartbeat.hold(turn)
        await answerTurn(ctx, turn, held.signal)
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

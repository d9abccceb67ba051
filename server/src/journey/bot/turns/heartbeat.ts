import type { Db } from '../../../platform/database/db.ts'
import type { Log } from '../../../platform/log.ts'
import { mostSuperseded, renewLeases, type Turn } from '../../conversations/turn-store.ts'

/** Why an answer need not be generated any further. */
export type Interruption = 'lost' | 'newer message' | 'stopping'

export type Heartbeat = {
  /** Renews the lease of a turn until it is disposed of. The signal's reason is an Interruption. */
  hold: (turn: Turn) => { signal: AbortSignal; [Symbol.dispose]: () => void }
  /** Renews at once: somebody may have taken a conversation over. */
  beat: () => void
  /** Interrupts everything. */
  stop: () => void
}

const everyMs = 1_000

/**
 * Renews the leases of all turns in progress, in one statement a second, and interrupts a turn that is gone or whose
 * contact has written again.
 */
export function startHeartbeat(db: Db, log: Log): Heartbeat {
  const held = new Map<string, { turn: Turn; controller: AbortController }>()
  let beating: Promise<void> | undefined
  let isStopped = false

  async function renew(): Promise<void> {
    const before = [...held.values()]
    const turns = before.map(({ turn }) => turn)
    const alive = await renewLeases(db, turns)
    for (const { turn, controller } of before) {
      const lease = alive.get(turn.token)
      if (!lease) interrupt(controller, 'lost')
      else if (lease.hasNewer && turn.superseded < mostSuperseded) interrupt(controller, 'newer message')
    }
  }

  function beat(): void {
    if (held.size === 0 || beating) return
    beating = renew()
      .catch((error) =>
        log.warn({ reason: String(error) }, 'could not renew the leases of answers in progress; trying again'),
      )
      .finally(() => {
        beating = undefined
      })
  }

  const timer = setInterval(beat, everyMs)
  return {
    hold: (turn) => {
      const controller = new AbortController()
      if (isStopped) interrupt(controller, 'stopping')
      held.set(turn.token, { turn, controller })
      return { signal: controller.signal, [Symbol.dispose]: () => void held.delete(turn.token) }
    },
    beat,
    stop: () => {
      isStopped = true
      clearInterval(timer)
      for (const { controller } of held.values()) interrupt(controller, 'stopping')
    },
  }
}

function interrupt(controller: AbortController, reason: Interruption): void {
  controller.abort(reason)
}

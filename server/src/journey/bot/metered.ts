import type { Engine } from '../../answers/engines/common/engine.ts'
import { holdPrice } from '../../business/credits/spend.ts'
import type { Db } from '../../platform/database/db.ts'
import type { WithoutSlot } from '../../platform/jobs/loop.ts'
import type { Turn } from '../conversations/turn-store.ts'

/** No credits were held for an answer: the account has too few, or the answer is not owed any more. */
export class Unpaid extends Error {
  /** What it needs; undefined: it is not owed any more. */
  readonly short: Price | undefined

  constructor(short: Price | undefined) {
    super(short ? 'there are not enough credits for an answer' : 'the answer is not owed any more')
    this.name = 'Unpaid'
    this.short = short
  }
}

/** Of an answer, in credits; and of the message with it, in units, where the channel has a price. */
export type Price = { price: number; forMessage: bigint }

/**
 * An engine that is called only after its price is held. Throws Unpaid. A remote engine is awaited inside
 * `withoutSlot`, so that it takes no slot of this process.
 */
export function metered(engine: Engine, db: Db, turn: Turn & Price & { withoutSlot: WithoutSlot }): Engine {
  return {
    generate: async (input, signal) => {
      const { accountId, contactId, fromSeq, price, forMessage } = turn
      const held = await holdPrice(db, { accountId, contactId, fromSeq, price, forMessage })
      if (held === 'gone') throw new Unpaid(undefined)
      if (held === 'not enough') throw new Unpaid({ price, forMessage })
      const generate = () => engine.generate(input, signal)
      return engine.isRemote ? turn.withoutSlot(generate) : generate()
    },
  }
}

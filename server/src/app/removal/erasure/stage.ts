import type { ConversationRef } from '../../../journey/conversations/conversation-store.ts'
import type { Db } from '../../../platform/database/db.ts'
import { type RunningStage, startStage } from '../../../platform/jobs/loop.ts'
import type { Log } from '../../../platform/log.ts'
import { claimErasure } from './erasure-store.ts'
import { finishErasure } from './finish-erasure.ts'

/** Finishes erasures whose process died: it claims those whose lease has run out. */
export function startErasing(db: Db, log: Log): RunningStage<ConversationRef> {
  const stage = startStage<ConversationRef>(
    {
      name: 'erasing',
      concurrency: 4,
      pollMs: 15_000,
      claim: () => claimErasure(db),
      run: async (ref) => {
        await finishErasure(db, ref)
        stage.wake() // the claim skipped the others of this account
      },
    },
    log,
  )
  return stage
}

import { setTimeout as sleep } from 'node:timers/promises'
import { importKnowledge } from '../../answers/knowledge/entries/import.ts'
import type { Handlers } from '../../business/sessions/handlers.ts'
import type { Db } from '../../platform/database/db.ts'
import type { AccountId } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import { showFirstRun } from './show.ts'
import { findDefaultCampaign, hasMissingVectors, setHidden } from './store.ts'

type Routes = Extract<keyof Handlers, `${string} /api/first-run${string}`>

export function firstRunHandlers({ db }: { db: Db }): Pick<Handlers, Routes> {
  return {
    'GET /api/first-run': ({ session }) => showFirstRun(db, session),
    'POST /api/first-run/entry': async ({ session, body }) => {
      await teach(db, session.accountId, body)
      return showFirstRun(db, session)
    },
    'PUT /api/first-run/hidden': async ({ session, body }) => {
      await setHidden(db, session, body.hidden)
      return showFirstRun(db, session)
    },
  }
}

/** A worker embeds an entry within a second or so; a busy machine may need longer, and finds it by its words until then. */
const embeddedWithinMs = 20_000
const betweenLooksMs = 100

/** Adds an entry to the account's default campaign, and returns when the bot can answer with it. */
async function teach(
  db: Db,
  accountId: AccountId,
  { question, answer }: { question: string; answer: string },
): Promise<void> {
  const campaignId = await findDefaultCampaign(db, accountId)
  if (!campaignId) throw new Refusal('CONFLICT', 'No campaign of this account is the default one.')
  await importKnowledge(db, { accountId, campaignId }, [{ questions: [question.trim()], answer: answer.trim() }])
  const giveUpAt = performance.now() + embeddedWithinMs
  while (performance.now() < giveUpAt && (await hasMissingVectors(db, accountId, campaignId))) {
    await sleep(betweenLooksMs)
  }
}

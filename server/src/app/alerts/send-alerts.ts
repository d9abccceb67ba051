import { type Alert, alertBody, isGoogleChat } from '../../outbox/alert-body.ts'
import type { Db, Tx } from '../../platform/database/db.ts'
import { type AccountId, newId } from '../../platform/ids.ts'
import { type FactEvent, type LinkTo, sayFact, sayWaiting } from './alert-texts.ts'
import { bots, broadcasts, type Condition, channels, credits, rearmCredits, receivers } from './fact-store.ts'
import {
  enqueueAlerts,
  findAccountsToTell,
  findByKeys,
  isAnybodyTold,
  lockWaiting,
  noteFacts,
  takeEnded,
  takeUntold,
  takeWaiting,
} from './state-store.ts'

export type AlertsCtx = Readonly<{ db: Db; link: LinkTo }>

type FollowedCondition = {
  condition: Condition
  began: FactEvent
  ended?: FactEvent
  before?: (tx: Tx) => Promise<void>
}

const followed: FollowedCondition[] = [
  { condition: receivers, began: 'receiver.failing', ended: 'receiver.recovered' },
  { condition: bots, began: 'bot.trouble', ended: 'bot.recovered' },
  { condition: credits, began: 'credits.low', before: rearmCredits },
  { condition: broadcasts, began: 'broadcast.halted' },
  { condition: channels, began: 'channel.attention', ended: 'channel.recovered' },
]

/**
 * Looks at everything that an account can be told of and writes the alerts, each in the transaction that notes that it is
 * told: once for each time it begins, however many processes look at the same moment and whichever dies. Returns whose alerts
 * are to be delivered.
 */
export async function sendAlerts(ctx: AlertsCtx): Promise<Set<AccountId>> {
  const told = new Set<AccountId>()
  if (!(await ctx.db.transaction().execute(isAnybodyTold))) return told
  for (const one of followed) for (const accountId of await follow(ctx, one)) told.add(accountId)
  for (const accountId of await findAccountsToTell(ctx.db)) if (await tellWaiting(ctx, accountId)) told.add(accountId)
  return told
}

function follow({ db, link }: AlertsCtx, { condition, began, ended, before }: FollowedCondition): Promise<AccountId[]> {
  return db.transaction().execute(async (tx) => {
    await findByKeys(tx)
    await before?.(tx)
    await noteFacts(tx, condition)
    const untold = (await takeUntold(tx, condition)).map((row) => ({ row, event: began }))
    const over = (await takeEnded(tx, condition)).flatMap((row) => (ended ? [{ row, event: ended }] : []))
    const alerts = [...untold, ...over].map(({ row: { url, info, ...told }, event }) => ({
      alert: sayFact(event, { ...told, info: info ?? {} }, link),
      url,
    }))
    await write(tx, alerts)
    return alerts.map(({ alert }) => alert.accountId as AccountId) // as the rows say
  })
}

/** Writes at most one alert a minute for each account, with all that began to wait since the last and still do. */
function tellWaiting({ db, link }: AlertsCtx, accountId: AccountId): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const found = await lockWaiting(tx, accountId)
    if (!found) return false
    const began = await takeWaiting(tx, accountId, { withNames: found.namesContacts && !isGoogleChat(found.url) })
    if (began.length === 0) return false
    await write(tx, [{ alert: sayWaiting(accountId, began, { count: began.length, link }), url: found.url }])
    return true
  })
}

async function write(tx: Tx, alerts: { alert: Alert; url: string }[]): Promise<void> {
  if (alerts.length === 0) return
  const events = alerts.map(({ alert, url }) => {
    const id = newId('evt')
    return { accountId: alert.accountId as AccountId, id, payload: alertBody(alert, { id, url }) } // as the rows say
  })
  await enqueueAlerts(tx, events)
}

import type { Dispatcher } from '../../outbox/dispatcher.ts'
import { alertWebhook } from '../../outbox/receivers.ts'
import { type RunningPeriodic, startPeriodic } from '../../platform/jobs/periodic.ts'
import type { Log } from '../../platform/log.ts'
import { type AlertsCtx, sendAlerts } from './send-alerts.ts'

/** How late somebody may be told. */
const everyMs = 5_000

/** Looks for what accounts want to be told of. Every process does; the rows say what was told. */
export function startAlerts(ctx: AlertsCtx & Pick<Dispatcher, 'wake'>, log: Log): RunningPeriodic {
  const run = async () => {
    for (const accountId of await sendAlerts(ctx)) ctx.wake({ accountId, receiverId: alertWebhook })
  }
  return startPeriodic({ name: 'alerts', everyMs, run }, log)
}

import type { DeliveryState } from '@patchbay/contract/app/webhook.ts'
import { sayCause } from '../../../ui/delivery-error-words.ts'
import { Tag } from '../../../ui/tag.tsx'
import { deliveryWords as words } from './words.ts'

const toneOf = { Sent: 'line', Waiting: 'wait', Failed: 'fail' } as const

/** What came of an event that is no reply, in a row of its log. */
export function EventStatus({ delivery }: { delivery: DeliveryState }) {
  const { status, fault, attempts, askedAttempts, maxAttempts, nextAttemptAt } = delivery
  return (
    <span className="row wrap">
      <Tag tone={toneOf[status]}>{words.eventStatus[status]}</Tag>
      {fault && (
        <span className="small muted">
          {sayCause(fault)} {words.triesOf(attempts - askedAttempts, maxAttempts)}{' '}
          {nextAttemptAt === null && words.notAgainItself}
        </span>
      )}
    </span>
  )
}

import '../../../ui/delivery-error.css'
import type { ChannelDelivery } from '@patchbay/contract/app/channels.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import ArrowUpRight from 'lucide-react/icons/arrow-up-right'
import Ban from 'lucide-react/icons/ban'
import Check from 'lucide-react/icons/check'
import CircleQuestionMark from 'lucide-react/icons/circle-question-mark'
import Clock from 'lucide-react/icons/clock'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import { read } from '../../../data/queries.ts'
import { Attempts } from '../../../settings/webhook/log/attempts.tsx'
import { isOverdue } from '../../../settings/webhook/log/use-deliveries.ts'
import { buttonClass } from '../../../ui/button.tsx'
import { CopyLine } from '../../../ui/copy-line.tsx'
import { ErrorState } from '../../../ui/error-state.tsx'
import { useNow } from '../../../ui/use-now.ts'
import { WaitingBlock } from '../../../ui/waiting.tsx'
import { Parts } from './parts.tsx'
import { type MessageState, sayNext, sayOutcome, sayWhy, stateOf } from './say-state.ts'
import { logWords as words } from './words.ts'

const overdueMs = 2_000

/** One message: what became of it, the requests of which it consists, and each attempt. */
export function MessageDetail({ channelId, id, kind }: { channelId: string; id: string; kind: string }) {
  const { data, error, refetch } = useQuery({
    ...read('GET /api/channels/:channelId/deliveries/:id', { params: { channelId, id } }),
    refetchInterval: ({ state }) => (state.data && isOverdue(state.data.delivery) ? overdueMs : false),
  })
  if (error && !data) return <ErrorState error={error} retry={() => void refetch()} />
  if (!data) return <WaitingBlock height={160} />
  const { delivery, attempts, parts } = data
  const name = delivery.contactName ?? words.noName
  return (
    <section className="detail" aria-label={words.detail(name)}>
      <div className="row between detail-top">
        <div className="detail-name">
          <h3 className="h-section" dir="auto">
            {words.to(name)}
          </h3>
          <CopyLine bare text={delivery.id} what={words.messageId} />
        </div>
        <Link
          to="/inbox/$contactId"
          params={{ contactId: delivery.contactId }}
          className={buttonClass('outline', 'sm')}
        >
          {words.inInbox}
          <ArrowUpRight className="i i-14" />
        </Link>
      </div>
      <Outcome detail={data} kind={kind} />
      <Parts parts={parts} delivery={delivery} kind={kind} />
      <Attempts delivery={delivery} attempts={attempts} isBreakerOpen={false} made={words.madeBy[delivery.author]} />
    </section>
  )
}

const looks = {
  sent: ['calm', Check],
  waiting: ['calm', Clock],
  held: ['unsure', Clock],
  'in doubt': ['unsure', CircleQuestionMark],
  'not sent': ['quiet', Ban],
  failed: ['', TriangleAlert],
} as const satisfies Record<MessageState, readonly [string, unknown]>

function Outcome({ detail, kind }: { detail: ChannelDelivery; kind: string }) {
  const { delivery, parts } = detail
  const now = useNow('second')
  const state = stateOf(delivery)
  const [look, Icon] = looks[state]
  const { fault } = delivery
  // The provider's words stand with the part that they are about.
  const isQuoted = parts.some(({ acceptedAt, detail }) => acceptedAt === null && detail !== null)
  return (
    <div className={`delivery-error ${look}`}>
      <Icon className="i" />
      <div>
        <b>{words.states[state]}.</b> {sayOutcome(detail, kind)}
        {fault && state !== 'held' && state !== 'in doubt' && (
          // The countdown is not read out every second.
          <div className="delivery-error-next" aria-live="off">
            {!isQuoted && sayWhy(fault, kind)} {sayNext(delivery, now)}
          </div>
        )}
      </div>
    </div>
  )
}

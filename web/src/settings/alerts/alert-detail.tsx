import type { AlertDelivery } from '@patchbay/contract/app/alerts.ts'
import { useQuery } from '@tanstack/react-query'
import { read } from '../../data/queries.ts'
import { CopyLine } from '../../ui/copy-line.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { WaitingBlock } from '../../ui/waiting.tsx'
import { Attempts } from '../webhook/log/attempts.tsx'
import { Outcome } from '../webhook/log/outcome.tsx'
import { PostView } from '../webhook/log/post-view.tsx'
import { isOverdue } from '../webhook/log/use-deliveries.ts'
import { useSendAgain } from '../webhook/log/use-send-again.ts'
import { alertWords as words } from './words.ts'

/** The signature of the headers is good for five minutes at most receivers. */
const signedAgainMs = 120_000
const overdueMs = 2_000

/** One alert: what became of it, each attempt, and what was sent. */
export function AlertDetail({ delivery: { id } }: { delivery: AlertDelivery }) {
  const { data, error, refetch } = useQuery({
    ...read('GET /api/alerts/deliveries/:id', { params: { id } }),
    refetchInterval: ({ state }) => (state.data && isOverdue(state.data.delivery) ? overdueMs : signedAgainMs),
  })
  const receiver = useQuery(read('GET /api/alerts/webhook')).data?.webhook
  const { sendAgain, isSending } = useSendAgain('/api/alerts/deliveries')
  if (error && !data) return <ErrorState error={error} retry={() => void refetch()} />
  if (!data) return <WaitingBlock height={140} />
  const isBreakerOpen = receiver?.probeAt != null
  return (
    <section className="detail" aria-label={words.detail}>
      <div className="detail-name">
        <h3 className="h-section">{words.detail}</h3>
        <CopyLine bare text={id} what={words.eventId} />
      </div>
      <Outcome
        delivery={data.delivery}
        isBreakerOpen={isBreakerOpen}
        isSending={isSending}
        onAgain={() => sendAgain.mutate(id)}
      />
      <Attempts delivery={data.delivery} attempts={data.attempts} isBreakerOpen={isBreakerOpen} made={words.made} />
      <PostView detail={data} />
    </section>
  )
}

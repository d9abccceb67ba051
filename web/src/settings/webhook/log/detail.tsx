import type { DeliveryDetail as Detail } from '@patchbay/contract/app/webhook.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import ArrowUpRight from 'lucide-react/icons/arrow-up-right'
import { read } from '../../../data/queries.ts'
import { buttonClass } from '../../../ui/button.tsx'
import { CopyLine } from '../../../ui/copy-line.tsx'
import { ErrorState } from '../../../ui/error-state.tsx'
import { Loading, Skeleton } from '../../../ui/skeleton.tsx'
import { Attempts } from './attempts.tsx'
import { Outcome } from './outcome.tsx'
import { PostView } from './post-view.tsx'
import { isOverdue } from './use-deliveries.ts'
import { useSendAgain } from './use-send-again.ts'
import { deliveryWords as words } from './words.ts'

/** The signature of the headers is good for five minutes at most receivers. */
const signedAgainMs = 120_000
const overdueMs = 2_000

/** One delivery: what became of it, each attempt, and what was sent. */
export function DeliveryDetail({ id, isBreakerOpen }: { id: string; isBreakerOpen: boolean }) {
  const { data, error, refetch } = useQuery({
    ...read('GET /api/deliveries/:id', { params: { id } }),
    refetchInterval: ({ state }) => (state.data && isOverdue(state.data.delivery) ? overdueMs : signedAgainMs),
  })
  const { sendAgain, isSending } = useSendAgain()
  if (error && !data) return <ErrorState error={error} retry={() => void refetch()} />
  if (!data) {
    return (
      <Loading>
        <Skeleton width="50%" height={18} />
        <Skeleton width="100%" height={52} />
        <Skeleton width="100%" height={140} />
      </Loading>
    )
  }
  const name = data.delivery.contactName ?? words.noName
  return (
    <section className="detail" aria-label={words.detail(name)}>
      <Head detail={data} name={name} />
      <Outcome
        delivery={data.delivery}
        isBreakerOpen={isBreakerOpen}
        isSending={isSending}
        onAgain={() => sendAgain.mutate(id)}
      />
      <Attempts
        delivery={data.delivery}
        attempts={data.attempts}
        isBreakerOpen={isBreakerOpen}
        made={words.madeBy[data.delivery.author]}
      />
      <PostView detail={data} />
    </section>
  )
}

function Head({ detail: { delivery }, name }: { detail: Detail; name: string }) {
  return (
    <div className="row between detail-top">
      <div className="detail-name">
        <h3 className="h-section" dir="auto">
          {words.to(name)}
        </h3>
        <CopyLine bare text={delivery.id} what={words.messageId} />
      </div>
      <Link to="/inbox/$contactId" params={{ contactId: delivery.contactId }} className={buttonClass('outline', 'sm')}>
        {words.inInbox}
        <ArrowUpRight className="i i-14" />
      </Link>
    </div>
  )
}

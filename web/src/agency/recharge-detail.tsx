import type { RechargeDelivery } from '@patchbay/contract/app/recharge-webhook.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { read } from '../data/queries.ts'
import { Attempts } from '../settings/webhook/log/attempts.tsx'
import { Outcome } from '../settings/webhook/log/outcome.tsx'
import { PostView } from '../settings/webhook/log/post-view.tsx'
import { isOverdue } from '../settings/webhook/log/use-deliveries.ts'
import { useSendAgain } from '../settings/webhook/log/use-send-again.ts'
import { buttonClass } from '../ui/button.tsx'
import { CopyLine } from '../ui/copy-line.tsx'
import { ErrorState } from '../ui/error-state.tsx'
import { WaitingBlock } from '../ui/waiting.tsx'
import { rechargeWords as words } from './recharge-words.ts'

/** The signature of the headers is good for five minutes at most receivers. */
const signedAgainMs = 120_000
const overdueMs = 2_000

/** One request: what became of it, each attempt, and what was sent. */
export function RechargeDetail({ delivery: { id, accountId, email } }: { delivery: RechargeDelivery }) {
  const { data, error, refetch } = useQuery({
    ...read('GET /api/agency/deliveries/:id', { params: { id } }),
    refetchInterval: ({ state }) => (state.data && isOverdue(state.data.delivery) ? overdueMs : signedAgainMs),
  })
  const receiver = useQuery(read('GET /api/agency/webhook')).data?.webhook
  const { sendAgain, isSending } = useSendAgain('/api/agency/deliveries')
  if (error && !data) return <ErrorState error={error} retry={() => void refetch()} />
  if (!data) return <WaitingBlock height={140} />
  const isBreakerOpen = receiver?.probeAt != null
  return (
    <section className="detail" aria-label={words.detail(email)}>
      <div className="row between wrap">
        <div className="detail-name">
          <h3 className="h-section">{words.detail(email)}</h3>
          <CopyLine bare text={id} what={words.eventId} />
        </div>
        <Link to="/agency" search={{ id: accountId }} className={buttonClass('outline', 'sm')}>
          {words.openAccount}
        </Link>
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

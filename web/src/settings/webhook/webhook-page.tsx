import '../../ui/surface.css'
import './webhook.css'
import { useMutation, useQuery } from '@tanstack/react-query'
import WebhookIcon from 'lucide-react/icons/webhook'
import { call } from '../../data/api.ts'
import { queryClient } from '../../data/queries.ts'
import { useMay } from '../../data/use-may.ts'
import { useRefresh } from '../../data/use-refresh.ts'
import { shellWords } from '../../shell/words.ts'
import { Button } from '../../ui/button.tsx'
import { sayCause } from '../../ui/delivery-error-words.ts'
import { ErrorState, sayError } from '../../ui/error-state.tsx'
import { Loading, Skeleton } from '../../ui/skeleton.tsx'
import { showToast } from '../../ui/toast.ts'
import { SettingsPage } from '../settings-page.tsx'
import { Health } from './health.tsx'
import { LastTest } from './last-test.tsx'
import { DeliveryLog } from './log/delivery-log.tsx'
import { Secret } from './secret.tsx'
import { UrlForm } from './url-form.tsx'
import { webhookQuery } from './webhook-query.ts'
import { webhookWords as words } from './words.ts'

/** Settings › Custom Channel Webhook: health, log and settings of the receiver, on one page. */
export function WebhookSettings() {
  useRefresh(
    ['webhook', 'conversation'],
    ['GET /api/webhook', 'GET /api/deliveries', 'GET /api/deliveries/:id', 'GET /api/deliveries/counts'],
  )
  const saved = useQuery(webhookQuery)
  const { own: isOwner, ownAtHome } = useMay()
  const webhook = saved.data?.webhook ?? null
  return (
    <SettingsPage title={shellWords.webhook} head={webhook && isOwner && <TestButton />}>
      <div className="page webhook-page">
        {saved.data ? (
          <>
            <Health webhook={webhook} undelivered={saved.data.undelivered} isOwner={isOwner} />
            <DeliveryLog isBreakerOpen={webhook?.probeAt != null} isOwner={isOwner} />
            <section className="two" aria-label={shellWords.settings}>
              <div className="stack stack-4">
                <UrlForm url={webhook?.url ?? ''} undelivered={saved.data.undelivered} isOwner={isOwner} />
                {webhook && ownAtHome && <Secret oldUntil={webhook.oldSecretUntil} />}
              </div>
              {webhook && <LastTest test={webhook.lastTest} />}
            </section>
          </>
        ) : saved.error ? (
          <ErrorState error={saved.error} retry={() => void saved.refetch()} />
        ) : (
          <Loading>
            <Skeleton width="100%" height={180} />
            <Skeleton width="100%" height={320} />
          </Loading>
        )}
      </div>
    </SettingsPage>
  )
}

function TestButton() {
  const test = useMutation({
    mutationFn: () => call('POST /api/webhook/test'),
    onSuccess: ({ status, fault, durationMs }) => {
      const text =
        status === 'Sent' ? `${words.answered} ${durationMs} ms` : `${words.testFailed} ${fault ? sayCause(fault) : ''}`
      showToast({ text, icon: WebhookIcon })
      void queryClient.invalidateQueries({ queryKey: ['GET /api/webhook'] })
    },
    onError: (error) => showToast({ text: sayError(error).title }),
  })
  return (
    <div className="row end">
      <Button busy={test.isPending && words.testing} onClick={() => test.mutate()}>
        <WebhookIcon className="i" />
        {words.testPost}
      </Button>
    </div>
  )
}

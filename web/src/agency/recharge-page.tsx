import './agency.css'
import '../ui/surface.css'
import '../settings/webhook/webhook.css'
import type { Webhook } from '@patchbay/contract/app/receivers.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import WebhookIcon from 'lucide-react/icons/webhook'
import { call } from '../data/api.ts'
import { queryClient, read } from '../data/queries.ts'
import { useRefresh } from '../data/use-refresh.ts'
import { AddressForm } from '../settings/webhook/address-form.tsx'
import { LastTest } from '../settings/webhook/last-test.tsx'
import { dotOfProof, proofOf } from '../settings/webhook/proof-of.ts'
import { Secret } from '../settings/webhook/secret.tsx'
import { Button } from '../ui/button.tsx'
import { sayCause } from '../ui/delivery-error-words.ts'
import { ErrorState, sayError } from '../ui/error-state.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { StatusDot } from '../ui/status-dot.tsx'
import { showToast } from '../ui/toast.ts'
import { WaitingBlock } from '../ui/waiting.tsx'
import { RechargeLog } from './recharge-log.tsx'
import { rechargeWords as words } from './recharge-words.ts'

/** The server that is asked for recharges: its health, what was posted to it, and its settings. */
export function RechargeWebhook() {
  useRefresh(['webhook'], ['GET /api/agency/webhook', 'GET /api/agency/deliveries'])
  const saved = useQuery({ ...read('GET /api/agency/webhook'), refetchInterval: 10_000 })
  const webhook = saved.data?.webhook ?? null
  return (
    <>
      <PageHead title={words.title} sub={<Link to="/agency">{words.back}</Link>}>
        {webhook && <Acts webhook={webhook} />}
      </PageHead>
      <div className="page webhook-page">
        {saved.data ? (
          <>
            <p>{webhook ? <State webhook={webhook} /> : words.none}</p>
            <RechargeLog />
            <section className="two" aria-label={words.settings}>
              <div className="stack stack-4">
                <AddressForm url={webhook?.url ?? ''} words={words} onSave={saveAddress} />
                {webhook && <Secret oldUntil={webhook.oldSecretUntil} of="/api/agency/webhook" />}
              </div>
              {webhook && <LastTest test={webhook.lastTest} />}
            </section>
          </>
        ) : saved.error ? (
          <ErrorState error={saved.error} retry={() => void saved.refetch()} />
        ) : (
          <WaitingBlock height={180} />
        )}
      </div>
    </>
  )
}

async function saveAddress(url: string): Promise<void> {
  const saved = await call('PUT /api/agency/webhook', { body: { url } })
  queryClient.setQueryData(read('GET /api/agency/webhook').queryKey, saved)
}

function State({ webhook }: { webhook: Webhook }) {
  const { owed, lastFault } = webhook
  const proof = proofOf(webhook)
  return (
    <>
      <StatusDot state={dotOfProof[proof]} /> <b className="strong">{words.states[proof]}</b>{' '}
      {lastFault && sayCause(lastFault)} <span className="muted">{owed > 0 && words.owed(owed)}</span>
    </>
  )
}

function Acts({ webhook: { state } }: { webhook: Webhook }) {
  const act = useMutation({
    mutationFn: (what: 'pause' | 'resume') => call(`POST /api/agency/webhook/${what}`),
    onSuccess: (saved) => queryClient.setQueryData(read('GET /api/agency/webhook').queryKey, saved),
    onError: (error) => showToast({ text: sayError(error).title }),
  })
  const test = useMutation({
    mutationFn: () => call('POST /api/agency/webhook/test'),
    onSuccess: ({ status, fault, durationMs }) => {
      showToast({ text: status === 'Sent' ? words.answered(durationMs) : words.failed(fault ? sayCause(fault) : '') })
      void queryClient.invalidateQueries({ queryKey: ['GET /api/agency/webhook'] })
    },
    onError: (error) => showToast({ text: sayError(error).title }),
  })
  return (
    <div className="row end">
      <Button onClick={() => act.mutate(state === 'paused' ? 'resume' : 'pause')}>
        {state === 'paused' ? words.resume : words.pause}
      </Button>
      <Button busy={test.isPending && words.testing} onClick={() => test.mutate()}>
        <WebhookIcon className="i" />
        {words.test}
      </Button>
    </div>
  )
}

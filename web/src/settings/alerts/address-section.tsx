import type { Webhook } from '@patchbay/contract/app/receivers.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import WebhookIcon from 'lucide-react/icons/webhook'
import { useState } from 'react'
import { call } from '../../data/api.ts'
import { queryClient, read } from '../../data/queries.ts'
import { useMay } from '../../data/use-may.ts'
import { useRefresh } from '../../data/use-refresh.ts'
import { Button } from '../../ui/button.tsx'
import { sayCause } from '../../ui/delivery-error-words.ts'
import { ErrorState, sayError } from '../../ui/error-state.tsx'
import { Section } from '../../ui/section.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import { showToast } from '../../ui/toast.ts'
import { WaitingBlock } from '../../ui/waiting.tsx'
import { Confirm } from '../account/confirm.tsx'
import { AddressForm } from '../webhook/address-form.tsx'
import { LastTest } from '../webhook/last-test.tsx'
import { dotOfProof, proofOf } from '../webhook/proof-of.ts'
import { Secret } from '../webhook/secret.tsx'
import { alertWords as words } from './words.ts'

/** Where alerts are posted, how that goes, and what can be done with it. */
export function AddressSection() {
  useRefresh(['webhook'], ['GET /api/alerts/webhook', 'GET /api/alerts/deliveries', 'GET /api/alerts/deliveries/:id'])
  const saved = useQuery(read('GET /api/alerts/webhook'))
  const webhook = saved.data?.webhook ?? null
  const { ownAtHome } = useMay()
  return (
    <Section title={words.address} says={words.addressSays}>
      {saved.data ? (
        <div className="stack stack-4">
          <p>{webhook ? <State webhook={webhook} /> : <span className="muted">{words.none}</span>}</p>
          <AddressForm url={webhook?.url ?? ''} words={words} onSave={saveAddress} />
          {webhook && (
            <>
              <Acts webhook={webhook} />
              {ownAtHome && <Secret oldUntil={webhook.oldSecretUntil} of="/api/alerts/webhook" />}
              <div className="stack">
                <LastTest test={webhook.lastTest} />
                <span className="hint">{words.testHint}</span>
              </div>
            </>
          )}
        </div>
      ) : saved.error ? (
        <ErrorState error={saved.error} retry={() => void saved.refetch()} />
      ) : (
        <WaitingBlock height={180} />
      )}
    </Section>
  )
}

async function saveAddress(url: string): Promise<void> {
  const saved = await call('PUT /api/alerts/webhook', { body: { url } })
  queryClient.setQueryData(read('GET /api/alerts/webhook').queryKey, saved)
}

function State({ webhook }: { webhook: Webhook }) {
  const { state, owed, lastFault } = webhook
  const proof = proofOf(webhook)
  return (
    <>
      <StatusDot state={dotOfProof[proof]} /> <b className="strong">{words.states[proof]}</b>{' '}
      {lastFault && sayCause(lastFault)}{' '}
      <span className="muted">{state === 'paused' ? words.pausedHint : owed > 0 && words.owed(owed)}</span>
    </>
  )
}

function Acts({ webhook: { state } }: { webhook: Webhook }) {
  const [isAsking, setAsking] = useState(false)
  const onError = (error: Error) => showToast({ text: sayError(error).title })
  const pause = useMutation({
    mutationFn: (what: 'pause' | 'resume') => call(`POST /api/alerts/webhook/${what}`),
    onSuccess: (saved) => queryClient.setQueryData(read('GET /api/alerts/webhook').queryKey, saved),
    onError,
  })
  const test = useMutation({
    mutationFn: () => call('POST /api/alerts/webhook/test'),
    onSuccess: ({ status, fault, durationMs }) => {
      showToast({ text: status === 'Sent' ? words.answered(durationMs) : words.failed(fault ? sayCause(fault) : '') })
      void queryClient.invalidateQueries({ queryKey: ['GET /api/alerts/webhook'] })
    },
    onError,
  })
  const remove = useMutation({
    mutationFn: () => call('DELETE /api/alerts/webhook'),
    onSuccess: () => {
      showToast({ text: words.removed })
      queryClient.setQueryData(read('GET /api/alerts/webhook').queryKey, { webhook: null, undelivered: 0 })
    },
    onError,
  })
  if (isAsking) {
    const asked = { title: words.removeAsk, hint: words.removeHint, keep: words.keep, doIt: words.remove }
    return (
      <Confirm
        words={{ ...asked, doing: words.removing }}
        isBusy={remove.isPending}
        onKeep={() => setAsking(false)}
        onDo={() => remove.mutate()}
      />
    )
  }
  return (
    <div className="row wrap">
      <Button busy={test.isPending && words.testing} onClick={() => test.mutate()}>
        <WebhookIcon className="i" />
        {words.test}
      </Button>
      <Button onClick={() => pause.mutate(state === 'paused' ? 'resume' : 'pause')}>
        {state === 'paused' ? words.resume : words.pause}
      </Button>
      <Button look="quiet" onClick={() => setAsking(true)}>
        {words.remove}
      </Button>
    </div>
  )
}

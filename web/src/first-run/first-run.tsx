import './first-run.css'
import type { FirstRun as Steps } from '@patchbay/contract/app/first-run.ts'
import type { Me } from '@patchbay/contract/app/session.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../data/api.ts'
import { queryClient, read } from '../data/queries.ts'
import { useRefresh } from '../data/use-refresh.ts'
import { buttonClass } from '../ui/button.tsx'
import { serverOf } from '../ui/curl.ts'
import { ErrorState } from '../ui/error-state.tsx'
import { Loading, Skeleton } from '../ui/skeleton.tsx'
import { useTitle } from '../ui/use-title.ts'
import { AboutYou } from './about-you.tsx'
import { Calls } from './calls.tsx'
import { KeyStep } from './key-step.tsx'
import { MessageStep } from './message-step.tsx'
import { ReplyStep } from './reply-step.tsx'
import { Signal } from './signal.tsx'
import { areDone, countDone, doRepliesArrive, whyNotPluggedIn } from './steps.ts'
import { TeachStep } from './teach-step.tsx'
import { WebhookStep } from './webhook-step.tsx'
import { firstRunWords as words } from './words.ts'

/** How often the page looks by itself while steps are open, for the time without a stream. */
const lookMs = 3_000

/** The home until the first reply is delivered: a checklist that turns green as real calls arrive. */
export function FirstRun() {
  useTitle(words.title)
  useRefresh(['conversation', 'webhook', 'simulator'], ['GET /api/first-run'])
  const steps = useQuery({
    ...read('GET /api/first-run'),
    refetchInterval: ({ state }) => (state.data && areDone(state.data) ? false : lookMs),
  })
  const session = useQuery(read('GET /api/session'))
  return (
    <div className="fr">
      {steps.data && session.data ? (
        <Checklist steps={steps.data} me={session.data} />
      ) : steps.error ? (
        <ErrorState error={steps.error} retry={() => void steps.refetch()} />
      ) : (
        <Loading>
          <Skeleton width="60%" height={32} />
          <Skeleton width="100%" height={420} />
        </Loading>
      )}
    </div>
  )
}

function Checklist({ steps, me }: { steps: Steps; me: Me }) {
  const [apiKey, setApiKey] = useState<string>()
  const done = countDone(steps)
  const isDone = areDone(steps)
  const isPluggedIn = isDone && steps.message?.isSimulated === false && doRepliesArrive(steps)
  const isOwner = me.user.isOwner
  const shared = { steps, server: serverOf(me), apiKey }
  return (
    <>
      <div className="stack stack-6">
        <header className="stack">
          <h1 className="fr-title">{isPluggedIn ? words.pluggedIn : isDone ? words.allDone : words.title}</h1>
          <p className="muted fr-lead" aria-live="polite">
            {isPluggedIn ? words.pluggedInLead : isDone ? words.allDoneLead[whyNotPluggedIn(steps)] : words.lead(done)}
          </p>
          {isDone && (
            <div>
              <Link to="/inbox" className={buttonClass('primary')}>
                {words.toInbox}
              </Link>
            </div>
          )}
        </header>
        {isOwner && !me.visiting && <AboutYou names={steps.names} />}
        <ol className="steps">
          <KeyStep steps={steps} apiKey={apiKey} isOwner={isOwner && !me.visiting} onMade={setApiKey} />
          <MessageStep {...shared} />
          <WebhookStep steps={steps} email={me.user.email} isOwner={isOwner} />
          <TeachStep steps={steps} isOwner={isOwner} />
          <ReplyStep {...shared} />
        </ol>
        <Hide isHidden={steps.isHidden} />
      </div>
      <aside aria-label={words.signal}>
        <Signal steps={steps} />
        <Calls calls={steps.calls} />
      </aside>
    </>
  )
}

function Hide({ isHidden }: { isHidden: boolean }) {
  const hide = useMutation({
    mutationFn: (hidden: boolean) => call('PUT /api/first-run/hidden', { body: { hidden } }),
    onSuccess: (steps) => queryClient.setQueryData(read('GET /api/first-run').queryKey, steps),
  })
  return (
    <p className="small faint">
      {isHidden ? words.hidden : words.leave}{' '}
      <button type="button" className="link" disabled={hide.isPending} onClick={() => hide.mutate(!isHidden)}>
        {isHidden ? words.showAgain : words.hide}
      </button>
    </p>
  )
}

import './first-run.css'
import type { FirstRun as Steps } from '@patchbay/contract/app/first-run.ts'
import type { Me } from '@patchbay/contract/app/session.ts'
import type { ProviderKindName } from '@patchbay/contract/channels.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../data/api.ts'
import { queryClient, read } from '../data/queries.ts'
import { useRefresh } from '../data/use-refresh.ts'
import { buttonClass } from '../ui/button.tsx'
import { kindNames } from '../ui/channel.tsx'
import { serverOf } from '../ui/curl.ts'
import { ErrorState } from '../ui/error-state.tsx'
import { Seg } from '../ui/seg.tsx'
import { Loading, Skeleton } from '../ui/skeleton.tsx'
import { useTitle } from '../ui/use-title.ts'
import { AboutYou } from './about-you.tsx'
import { BuiltInProof, BuiltInSteps, kindOf, useFirstChannel } from './built-in-lane.tsx'
import { Calls } from './calls.tsx'
import { KeyStep } from './key-step.tsx'
import { MessageStep } from './message-step.tsx'
import { ReplyStep } from './reply-step.tsx'
import { Signal } from './signal.tsx'
import {
  areDone,
  countDone,
  currentStep,
  doRepliesArrive,
  type Lane,
  lanes,
  usualLane,
  whyNotPluggedIn,
} from './steps.ts'
import { TeachStep } from './teach-step.tsx'
import { WebhookStep } from './webhook-step.tsx'
import { firstRunWords as words } from './words.ts'

/** How often the page looks by itself while steps are open, for the time without a stream. */
const lookMs = 3_000

/** The home until the first reply is delivered: a checklist that turns green as real calls arrive. */
export function FirstRun() {
  useTitle(words.title)
  useRefresh(['conversation', 'webhook', 'simulator', 'channels'], ['GET /api/first-run'])
  const { lane } = useSearch({ from: '/shell/first-run' })
  const steps = useQuery({
    ...read('GET /api/first-run'),
    refetchInterval: ({ state: { data } }) => (data && areDone(data, lane ?? usualLane(data)) ? false : lookMs),
  })
  const session = useQuery(read('GET /api/session'))
  return (
    <div className="fr">
      {steps.data && session.data ? (
        <Checklist steps={steps.data} me={session.data} lane={lane ?? usualLane(steps.data)} />
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

function Checklist({ steps, me, lane }: { steps: Steps; me: Me; lane: Lane }) {
  const [apiKey, setApiKey] = useState<string>()
  const channel = useFirstChannel(steps)
  const isDone = areDone(steps, lane)
  const isOwner = me.user.isOwner
  const ownsAtHome = isOwner && !me.visiting
  const shared = { steps, server: serverOf(me), apiKey }
  return (
    <>
      <div className="stack stack-6">
        <header className="stack">
          <Title steps={steps} lane={lane} />
          {isDone && (
            <div>
              <Link to="/inbox" className={buttonClass('primary')}>
                {words.toInbox}
              </Link>
            </div>
          )}
        </header>
        {ownsAtHome && <AboutYou names={steps.names} />}
        <Lanes lane={lane} kind={kindOf(channel)} />
        {lane === 'built-in' ? (
          <BuiltInSteps steps={steps} isOwner={ownsAtHome} channel={channel} />
        ) : (
          <ol className="steps">
            <KeyStep steps={steps} apiKey={apiKey} isOwner={ownsAtHome} onMade={setApiKey} />
            <MessageStep {...shared} />
            <WebhookStep steps={steps} email={me.user.email} isOwner={isOwner} />
            <TeachStep steps={steps} isOwner={isOwner} n={4} isCurrent={currentStep(steps) === 'teach'} />
            <ReplyStep {...shared} />
          </ol>
        )}
        <Hide isHidden={steps.isHidden} />
      </div>
      <aside aria-label={words.signal}>
        {lane === 'built-in' ? (
          <BuiltInProof channel={channel} />
        ) : (
          <>
            <Signal steps={steps} />
            <Calls calls={steps.calls} />
          </>
        )}
      </aside>
    </>
  )
}

/** How far it is, and what is still missing where all steps are done. */
function Title({ steps, lane }: { steps: Steps; lane: Lane }) {
  const isDone = areDone(steps, lane)
  const isOwn = lane === 'own'
  const isPluggedIn = isDone && (!isOwn || (steps.message?.isSimulated === false && doRepliesArrive(steps)))
  const lead = isPluggedIn
    ? words.pluggedInLead[lane]
    : isDone
      ? words.allDoneLead[whyNotPluggedIn(steps)]
      : words.lead[lane](countDone(steps, lane).done)
  return (
    <>
      <h1 className="fr-title">{isPluggedIn ? words.pluggedIn : isDone ? words.allDone : words.title}</h1>
      <p className="muted fr-lead" aria-live="polite">
        {lead}
      </p>
    </>
  )
}

/** Which lane: what one's own platform needs, or a built-in channel. */
function Lanes({ lane, kind }: { lane: Lane; kind: ProviderKindName }) {
  const navigate = useNavigate()
  const options = lanes.map((value) => ({
    value,
    label: value === 'own' ? words.own : words.orConnect(kindNames[kind]),
  }))
  return (
    <div>
      <Seg
        label={words.lanes}
        value={lane}
        options={options}
        onChange={(chosen) => void navigate({ to: '/first-run', search: { lane: chosen }, replace: true })}
      />
    </div>
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

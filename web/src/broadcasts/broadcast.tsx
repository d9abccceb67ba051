import './broadcasts.css'
import '../ui/page.css'
import '../ui/surface.css'
import type { ShownBroadcast } from '@patchbay/contract/app/broadcasts.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ApiError } from '../data/api.ts'
import { read } from '../data/queries.ts'
import { useRefresh } from '../data/use-refresh.ts'
import { buttonClass } from '../ui/button.tsx'
import { ChannelLabel } from '../ui/channel.tsx'
import { CopyLine } from '../ui/copy-line.tsx'
import { Empty } from '../ui/empty.tsx'
import { ErrorState } from '../ui/error-state.tsx'
import { KeyValues } from '../ui/kv.tsx'
import { Time } from '../ui/time.tsx'
import { useTitle } from '../ui/use-title.ts'
import { WaitingBlock } from '../ui/waiting.tsx'
import { Control } from './control.tsx'
import { Answers, Failures, LeftOut } from './results.tsx'
import { Running, Scheduled } from './running.tsx'
import { StateTag } from './state-tag.tsx'
import { broadcastWords as words } from './words.ts'
import { ZonedTime } from './zoned-time.tsx'

const route = getRouteApi('/shell/broadcasts/$broadcastId')

/** One broadcast: what it does now, what became of it, and what was sent. */
export function Broadcast() {
  const { broadcastId } = route.useParams()
  const broadcast = useQuery(read('GET /api/broadcasts/:broadcastId', { params: { broadcastId } }))
  const routes = ['GET /api/broadcasts/:broadcastId', 'GET /api/broadcasts/:broadcastId/recipients']
  useRefresh(['broadcasts', 'webhook', 'channels'], routes, 1_000)
  if (broadcast.data) return <BroadcastDetails broadcast={broadcast.data} />
  if (broadcast.error instanceof ApiError && broadcast.error.status === 404) return <Gone />
  return (
    <div className="page">
      {broadcast.error ? (
        <ErrorState error={broadcast.error} retry={() => void broadcast.refetch()} />
      ) : (
        <WaitingBlock height={240} />
      )}
    </div>
  )
}

function BroadcastDetails({ broadcast }: { broadcast: ShownBroadcast }) {
  useTitle(broadcast.name)
  return (
    <>
      <header className="page-head">
        <div className="broadcast-title">
          <p className="crumb">
            <Link to="/broadcasts">{words.back}</Link>
          </p>
          <div className="row wrap">
            <h1 className="h-page cut">
              <bdi>{broadcast.name}</bdi>
            </h1>
            <StateTag broadcast={broadcast} />
          </div>
        </div>
        <Control broadcast={broadcast} />
      </header>
      <div className="page broadcast">
        {broadcast.state === 'scheduled' && broadcast.startsAt !== null ? (
          <Scheduled startsAt={broadcast.startsAt} />
        ) : (
          <Running broadcast={broadcast} />
        )}
        {broadcast.state === 'scheduled' ? <About broadcast={broadcast} /> : <Results broadcast={broadcast} />}
      </div>
    </>
  )
}

function Results({ broadcast }: { broadcast: ShownBroadcast }) {
  return (
    <div className="broadcast-columns">
      <div className="stack stack-6">
        <Failures broadcast={broadcast} />
        <Answers broadcast={broadcast} />
      </div>
      <div className="stack stack-6">
        <LeftOut broadcast={broadcast} />
        <About broadcast={broadcast} />
      </div>
    </div>
  )
}

function About({ broadcast }: { broadcast: ShownBroadcast }) {
  const { about } = words
  const { id, list, channel, campaign, body, ratePerMinute, perMinute, startedBy, createdAt, startsAt, endedAt } =
    broadcast
  return (
    <section className="card" aria-label={words.message}>
      <h2 className="card-head h-section">{words.message}</h2>
      <div className="card-body stack stack-4">
        <p className="broadcast-body" dir="auto">
          {body}
        </p>
        <KeyValues
          lines={[
            [about.list, <ListName key="list" list={list} />],
            [about.channel, <ChannelLabel key="channel" channel={channel} />],
            [about.campaign, campaign && <CampaignLink key="campaign" campaign={campaign} />],
            [about.rate, words.atRate(Math.min(ratePerMinute, perMinute))],
            [about.by, <bdi key="by">{startedBy ?? words.byKey}</bdi>],
            [startsAt ? about.made : about.when, <Time key="when" at={createdAt} />],
            [about.starts, startsAt && <ZonedTime key="starts" at={startsAt} />],
            [about.ended, endedAt && <Time key="ended" at={endedAt} />],
            [about.id, <CopyLine key="id" text={id} what={words.copyId} bare />],
          ]}
        />
      </div>
    </section>
  )
}

function ListName({ list: { id, name } }: { list: ShownBroadcast['list'] }) {
  if (id === null) return <bdi>{words.deletedList(name)}</bdi>
  return (
    <Link to="/lists/$listId" params={{ listId: id }}>
      <bdi>{name}</bdi>
    </Link>
  )
}

function CampaignLink({ campaign: { id, name } }: { campaign: { id: string; name: string } }) {
  return (
    <Link to="/campaigns/$campaignId" params={{ campaignId: id }}>
      <bdi>{name}</bdi>
    </Link>
  )
}

function Gone() {
  return (
    <Empty title={words.gone} says={words.goneSays}>
      <Link to="/broadcasts" className={buttonClass()}>
        {words.back}
      </Link>
    </Empty>
  )
}

import './broadcasts.css'
import '../ui/surface.css'
import type { ShownBroadcast } from '@patchbay/contract/app/broadcasts.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import Plus from 'lucide-react/icons/plus'
import { lazy, Suspense } from 'react'
import { useCommands } from '../commands/commands.ts'
import { keyWords } from '../commands/words.ts'
import { readPages } from '../data/read-pages.ts'
import { useMay } from '../data/use-may.ts'
import { useRefresh } from '../data/use-refresh.ts'
import { Button } from '../ui/button.tsx'
import { ChannelLabel } from '../ui/channel.tsx'
import { Empty } from '../ui/empty.tsx'
import { Kbd } from '../ui/kbd.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { Pages } from '../ui/pages.tsx'
import { Progress } from '../ui/progress.tsx'
import { Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { WaitingBlock } from '../ui/waiting.tsx'
import { StateTag } from './state-tag.tsx'
import { broadcastWords as words } from './words.ts'
import { ZonedTime } from './zoned-time.tsx'

const NewBroadcast = lazy(() => import('./new-broadcast.tsx').then(({ NewBroadcast }) => ({ default: NewBroadcast })))
const ChangeBroadcast = lazy(() =>
  import('./new-broadcast.tsx').then(({ ChangeBroadcast }) => ({ default: ChangeBroadcast })),
)

const route = getRouteApi('/shell/broadcasts')

/** All broadcasts, the newest on top; a new one is written above them. */
export function Broadcasts() {
  const { manage } = useMay()
  const search = route.useSearch()
  const to = manage ? search.to : undefined
  const change = manage ? search.change : undefined
  const navigate = useNavigate()
  const pages = useInfiniteQuery(readPages('GET /api/broadcasts'))
  const all = pages.data?.pages.flatMap(({ broadcasts }) => broadcasts) ?? []
  const make = () => void navigate({ to: '/broadcasts', search: { to: '' } })
  useRefresh(['broadcasts'], ['GET /api/broadcasts'], 1_000)
  useCommands(
    manage ? [{ id: 'new broadcast', label: words.newBroadcast, keys: 'n', group: keyWords.thisPage, run: make }] : [],
  )
  return (
    <>
      <PageHead title={words.title} sub={words.sub}>
        {manage && to === undefined && change === undefined && (
          <div className="row end">
            <Button look="primary" onClick={make}>
              <Plus className="i" />
              {words.newBroadcast} <Kbd press="n" className="only-wide" />
            </Button>
          </div>
        )}
      </PageHead>
      <div className="page">
        {to !== undefined && (
          <Suspense fallback={<WaitingBlock height={320} />}>
            <NewBroadcast key={to} listId={to} onDone={() => void navigate({ to: '/broadcasts', search: {} })} />
          </Suspense>
        )}
        {change !== undefined && (
          <Suspense fallback={<WaitingBlock height={320} />}>
            <ChangeBroadcast
              key={change}
              broadcastId={change}
              onDone={() => void navigate({ to: '/broadcasts/$broadcastId', params: { broadcastId: change } })}
            />
          </Suspense>
        )}
        <Pages
          pages={pages}
          isEmpty={all.length === 0}
          waiting={<WaitingBlock height={160} />}
          nothing={
            to === undefined &&
            change === undefined && (
              <Empty title={words.empty} says={words.emptySays} art>
                {manage && <Button onClick={make}>{words.newBroadcast}</Button>}
              </Empty>
            )
          }
        >
          <BroadcastTable broadcasts={all} />
        </Pages>
      </div>
    </>
  )
}

function BroadcastTable({ broadcasts }: { broadcasts: readonly ShownBroadcast[] }) {
  const { columns } = words
  return (
    <div className="card">
      <Table label={words.table} inCard className="broadcast-table">
        <thead>
          <tr>
            <th scope="col">{columns.name}</th>
            <th scope="col" className="broadcast-table-state">
              {columns.state}
            </th>
            <th scope="col" className="broadcast-table-progress">
              {columns.progress}
            </th>
            <th scope="col" className="num broadcast-table-answered">
              {columns.answered}
            </th>
            <th scope="col" className="broadcast-table-when">
              {columns.when}
            </th>
          </tr>
        </thead>
        <tbody>
          {broadcasts.map((broadcast) => (
            <Row key={broadcast.id} broadcast={broadcast} />
          ))}
        </tbody>
      </Table>
    </div>
  )
}

function Row({ broadcast }: { broadcast: ShownBroadcast }) {
  const { id, name, list, channel, counts, createdAt, startsAt, state } = broadcast
  return (
    <tr>
      <th scope="row" className="broadcast-table-name">
        <Link to="/broadcasts/$broadcastId" params={{ broadcastId: id }} className="strong">
          <bdi>{name}</bdi>
        </Link>
        <p className="small muted row wrap">
          <bdi>{words.to(list.name)}</bdi>
          <ChannelLabel channel={channel} />
        </p>
      </th>
      <td className="broadcast-table-state">
        <StateTag broadcast={broadcast} />
      </td>
      <td className="broadcast-table-progress">
        <div className="stack stack-1">
          <span className="mono">{words.progressOf(counts.sent, counts.recipients)}</span>
          <Progress label={words.columns.progress} done={counts.sent} all={counts.recipients} />
        </div>
      </td>
      <td className="num broadcast-table-answered">{words.number(counts.answered)}</td>
      <td className="broadcast-table-when">
        {state === 'scheduled' && startsAt !== null ? <ZonedTime at={startsAt} /> : <Time at={startsAt ?? createdAt} />}
      </td>
    </tr>
  )
}

import '../../ui/surface.css'
import './calls.css'
import type { ApiCall } from '@patchbay/contract/app/calls.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { connection } from '../../data/live.ts'
import { read } from '../../data/queries.ts'
import { useStore } from '../../data/store.ts'
import { useRefresh } from '../../data/use-refresh.ts'
import { shellWords } from '../../shell/words.ts'
import { Empty } from '../../ui/empty.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { exactTime, secondTime } from '../../ui/format-time.ts'
import { Seg } from '../../ui/seg.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import { Table } from '../../ui/table.tsx'
import { Tag } from '../../ui/tag.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { WaitingBlock } from '../../ui/waiting.tsx'
import { DevelopHead } from '../develop-head.tsx'
import { callsWords as words } from './words.ts'

const isRefused = ({ status }: ApiCall) => status >= 400

/** Develop › Last calls: what was called with the account's key, and what was wrong. */
export function LastCalls() {
  useTitle(shellWords.lastCalls)
  useRefresh(['calls'], ['GET /api/calls'])
  const found = useQuery(read('GET /api/calls'))
  const [filter, setFilter] = useState<'all' | 'refused'>('all')
  const calls = found.data?.calls ?? []
  const refused = calls.filter(isRefused)
  const shown = filter === 'all' ? calls : refused
  return (
    <>
      <DevelopHead says={words.says} />
      {found.data ? (
        <>
          <Bar filter={filter} refused={refused.length} onFilter={setFilter} />
          {calls.length === 0 ? (
            <Empty art title={words.none} says={words.noneSays} />
          ) : shown.length === 0 ? (
            <Empty title={words.noneRefused} />
          ) : (
            <CallTable calls={shown} />
          )}
          <p className="bar small muted">{words.note}</p>
        </>
      ) : found.error ? (
        <ErrorState error={found.error} retry={() => void found.refetch()} />
      ) : (
        <WaitingBlock height={320} />
      )}
    </>
  )
}

type BarProps = { filter: 'all' | 'refused'; refused: number; onFilter: (filter: 'all' | 'refused') => void }

function Bar({ filter, refused, onFilter }: BarProps) {
  const { state } = useStore(connection)
  const refusedLabel = (
    <>
      {words.refused} {refused > 0 && <b className="fail">{refused}</b>}
    </>
  )
  const options = [
    { value: 'all', label: words.all },
    { value: 'refused', label: refusedLabel },
  ] as const
  return (
    <div className="bar">
      <Seg label={words.filter} value={filter} options={options} onChange={onFilter} />
      {state === 'connected' && (
        <Tag>
          <StatusDot state="ok" />
          {words.live}
        </Tag>
      )}
    </div>
  )
}

function CallTable({ calls }: { calls: ApiCall[] }) {
  const { when, call, answer, took, request } = words.columns
  return (
    <Table label={words.table} className="calls-table">
      <thead>
        <tr>
          <th>{when}</th>
          <th>{call}</th>
          <th>{answer}</th>
          <th className="num">{took}</th>
          <th>{request}</th>
        </tr>
      </thead>
      <tbody>
        {calls.map((one) => (
          <Line call={one} key={one.id} />
        ))}
      </tbody>
    </Table>
  )
}

function Line({ call }: { call: ApiCall }) {
  const { at, method, path, status, code, sentence, durationMs, requestId } = call
  return (
    <tr>
      <td className="mono faint">
        <time dateTime={at} title={exactTime(new Date(at))}>
          {secondTime(new Date(at))}
        </time>
      </td>
      <th scope="row" className="mono calls-table-asked">
        <b>{method}</b> {path}
      </th>
      <td>
        <span className="calls-table-answer">
          <span className={isRefused(call) ? 'mono fail' : 'mono'}>{status}</span>
          {code && <span className="mono">{code}</span>}
          {sentence && <span className="muted">{sentence}</span>}
        </span>
      </td>
      <td className="num">{durationMs} ms</td>
      <td className="mono faint calls-table-request">{requestId}</td>
    </tr>
  )
}

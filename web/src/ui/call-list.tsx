import './call-list.css'
import type { ReactNode } from 'react'
import { connection } from '../data/live.ts'
import { useStore } from '../data/store.ts'
import { exactTime, secondTime } from './format-time.ts'
import { StatusDot } from './status-dot.tsx'
import { Tag } from './tag.tsx'
import { uiWords } from './words.ts'

export type ShownCall = {
  at: string
  what: ReactNode
  outcome: ReactNode
  tone?: 'wait' | 'fail' | undefined
  key: string
}

/** Real calls, newest first. */
export function CallList({ title, none, calls }: { title: string; none: string; calls: readonly ShownCall[] }) {
  const { state } = useStore(connection)
  return (
    <>
      <div className="row between">
        <h2 className="h-section">{title}</h2>
        {state === 'connected' && (
          <Tag>
            <StatusDot state="ok" />
            {uiWords.live}
          </Tag>
        )}
      </div>
      {calls.length === 0 && <p className="muted">{none}</p>}
      <ul className="calls">
        {calls.map(({ key, at, what, outcome, tone }) => (
          <li key={key}>
            <time className="call-time" dateTime={at} title={exactTime(new Date(at))}>
              {secondTime(new Date(at))}
            </time>
            <span className="cut">{what}</span>
            <span className={tone}>{outcome}</span>
          </li>
        ))}
      </ul>
    </>
  )
}

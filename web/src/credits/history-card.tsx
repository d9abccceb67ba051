import '../ui/surface.css'
import './credits.css'
import type { Movement, OwnMovement } from '@patchbay/contract/app/agency.ts'
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Empty } from '../ui/empty.tsx'
import { Pages } from '../ui/pages.tsx'
import { WaitingBlock } from '../ui/waiting.tsx'
import { Movements } from './movements.tsx'
import { creditWords as words } from './words.ts'

type Props<One> = {
  pages: UseInfiniteQueryResult<InfiniteData<{ movements: One[] }>>
  /** Where the whole history is as a file. */
  csv: string
  act?: (movement: One) => ReactNode
  under?: (movement: One) => ReactNode
}

/** A history of credits, newest first, in its states. */
export function HistoryCard<One extends Movement | OwnMovement>({ pages, csv, ...rest }: Props<One>) {
  const movements = pages.data?.pages.flatMap((page) => page.movements) ?? []
  return (
    <section className="stack" aria-label={words.history}>
      <div className="row between">
        <h3 className="h-section">{words.history}</h3>
        <a className="small" href={csv} download>
          {words.csv}
        </a>
      </div>
      <Pages
        pages={pages}
        isEmpty={movements.length === 0}
        waiting={<WaitingBlock height={120} />}
        nothing={<Empty title={words.none} says={words.noneSays} card />}
      >
        <div className="card">
          <Movements movements={movements} {...rest} />
        </div>
      </Pages>
      <p className="small faint">{words.never}</p>
    </section>
  )
}

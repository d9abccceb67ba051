import '../ui/surface.css'
import './credits.css'
import type { Movement, OwnMovement } from '@patchbay/contract/app/agency.ts'
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { ErrorState } from '../ui/error-state.tsx'
import { Loading, Skeleton } from '../ui/skeleton.tsx'
import { creditWords as words } from '../words/credits.ts'
import { Movements } from './movements.tsx'

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
      {movements.length > 0 ? (
        <div className="card history-card">
          <Movements movements={movements} {...rest} />
        </div>
      ) : pages.error ? (
        <ErrorState error={pages.error} retry={() => void pages.refetch()} />
      ) : pages.isPending ? (
        <Loading>
          <Skeleton width="100%" height={120} />
        </Loading>
      ) : (
        <Empty title={words.none} says={words.noneSays} card />
      )}
      {pages.hasNextPage && (
        <Button busy={pages.isFetchingNextPage && words.loadingOlder} onClick={() => void pages.fetchNextPage()}>
          {words.older}
        </Button>
      )}
      <p className="small faint">{words.never}</p>
    </section>
  )
}

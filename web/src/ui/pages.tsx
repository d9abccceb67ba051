import './surface.css'
import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { ErrorState } from './error-state.tsx'
import { uiWords as words } from './words.ts'

type Props = {
  pages: Pick<UseInfiniteQueryResult, 'error' | 'isPending' | 'refetch' | NextPage>
  isEmpty: boolean
  waiting: ReactNode
  /** Stands in place of the children where there are none. */
  nothing: ReactNode
  children: ReactNode
  /** The label of the button for the next page, where older is not what it shows. */
  more?: string
  /** Whether the children go from edge to edge, so that the button keeps a distance itself. */
  wide?: boolean
}
type NextPage = 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'

/** What came page by page, in its states; what was shown stays when a later fetch fails. */
export function Pages({ pages, isEmpty, waiting, nothing, children, more, wide = false }: Props) {
  if (isEmpty && pages.error) return <ErrorState error={pages.error} retry={() => void pages.refetch()} />
  if (pages.isPending) return waiting
  if (isEmpty) return nothing
  return (
    <>
      {children}
      {pages.hasNextPage && (
        <div className={wide ? 'bar' : 'row'}>
          <Button busy={pages.isFetchingNextPage && words.loading} onClick={() => void pages.fetchNextPage()}>
            {more ?? words.older}
          </Button>
        </div>
      )}
    </>
  )
}

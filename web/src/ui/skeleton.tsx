import './skeleton.css'
import type { ReactNode } from 'react'
import { useAfter } from './use-after.ts'
import { uiWords } from './words.ts'

/** Shorter waits show nothing: a flash would be worse than the wait. */
const shownAfterMs = 150

/** A bar in place of text; width in percent or pixels. */
export function Skeleton({ width, height }: { width: string | number; height?: number }) {
  return <span className="skeleton" style={{ width, height }} />
}

/** What is shown while something loads, after a moment; it keeps its height before, so that nothing jumps. */
export function Loading({ children }: { children: ReactNode }) {
  const isShown = useAfter(shownAfterMs)
  return (
    <div className="loading" role="status" data-shown={isShown}>
      <span className="sr">{isShown && uiWords.loading}</span>
      <div aria-hidden="true">{children}</div>
    </div>
  )
}

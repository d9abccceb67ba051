import type { ReplyWay } from '@patchbay/contract/app/messages.ts'
import { lazy, Suspense } from 'react'

// What only some channels need is loaded with the first of them.
const SegmentsLine = lazy(() => import('./segments-line.tsx').then(({ SegmentsLine }) => ({ default: SegmentsLine })))

type Props = { way: ReplyWay | undefined; text: string; onPlain: (text: string) => void }

/** How many segments a text takes, where that is what it costs. */
export function Segments({ way, ...text }: Props) {
  if (!way?.countsSegments) return null
  return (
    <Suspense>
      <SegmentsLine {...text} />
    </Suspense>
  )
}

import type { ReplyWay } from '@patchbay/contract/app/messages.ts'
import { lazy, type RefObject, Suspense } from 'react'

// What only some channels need is loaded with the first of them.
const SegmentsLine = lazy(() => import('./segments-line.tsx').then(({ SegmentsLine }) => ({ default: SegmentsLine })))

type Props = {
  way: ReplyWay | undefined
  text: string
  setText: (text: string) => void
  /** Where it is written: it gets the focus back from a button that goes. */
  area: RefObject<HTMLTextAreaElement | null>
}

/** How many segments a text takes, where that is what it costs. */
export function Segments({ way, text, setText, area }: Props) {
  if (!way?.countsSegments) return null
  const onPlain = (plain: string) => {
    setText(plain)
    area.current?.focus()
  }
  return (
    <Suspense>
      <SegmentsLine text={text} onPlain={onPlain} />
    </Suspense>
  )
}

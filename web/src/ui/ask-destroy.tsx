import TriangleAlert from 'lucide-react/icons/triangle-alert'
import { type ReactNode, useEffect, useRef } from 'react'
import { Button } from './button.tsx'
import { Failed } from './failed.tsx'
import { Note } from './note.tsx'

type Props = {
  destroy: { mutate: () => void; isPending: boolean; error: unknown }
  words: { doIt: string; doing: string; keep: string }
  onKeep: () => void
  /** What goes, and what stays. */
  children: ReactNode
}

/** Asks where it was pressed, before something goes for good. The way back has the focus. */
export function AskDestroy({ destroy, words, onKeep, children }: Props) {
  const keep = useRef<HTMLButtonElement>(null)
  useEffect(() => keep.current?.focus(), [])
  return (
    <Note tone="fail" icon={TriangleAlert}>
      <div className="stack stack-3">
        {children}
        <Failed error={destroy.error} />
        <div className="row wrap">
          <Button look="destroy" busy={destroy.isPending && words.doing} onClick={() => destroy.mutate()}>
            {words.doIt}
          </Button>
          <Button ref={keep} onClick={onKeep}>
            {words.keep}
          </Button>
        </div>
      </div>
    </Note>
  )
}

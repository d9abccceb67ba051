import TriangleAlert from 'lucide-react/icons/triangle-alert'
import { useEffect, useRef } from 'react'
import { Button } from '../../ui/button.tsx'

type Props = {
  words: { title: string; hint: string; keep: string; doIt: string; doing: string }
  isBusy: boolean
  onKeep: () => void
  onDo: () => void
}

/** Asks before a setting ends or removes something. The way back has the focus. */
export function Confirm({ words, isBusy, onKeep, onDo }: Props) {
  const keep = useRef<HTMLButtonElement>(null)
  useEffect(() => keep.current?.focus(), [])
  return (
    <div className="note wait-bg wrap" role="alert">
      <TriangleAlert className="i" />
      <div className="grow note-ask">
        <b className="strong">{words.title}</b>
        <br />
        <span className="muted">{words.hint}</span>
      </div>
      <div className="row">
        <Button size="sm" ref={keep} onClick={onKeep}>
          {words.keep}
        </Button>
        <Button size="sm" look="destroy" busy={isBusy && words.doing} onClick={onDo}>
          {words.doIt}
        </Button>
      </div>
    </div>
  )
}

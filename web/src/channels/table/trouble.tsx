import Unplug from 'lucide-react/icons/unplug'
import type { ReactNode } from 'react'

type Props = {
  why: string
  since?: ReactNode
  /** What waits, and what happens by itself. */
  next: string
  /** One button or link. */
  children: ReactNode
}

/** What is wrong with a channel, under its row. */
export function Trouble({ why, since, next, children }: Props) {
  return (
    <div className="channels-trouble">
      <Unplug className="i" />
      <div>
        <b className="strong">
          {why}
          {since ? ',' : '.'}
        </b>{' '}
        {since}
        <div className="small muted">{next}</div>
      </div>
      <div className="channels-acts row wrap">{children}</div>
    </div>
  )
}

import './path.css'
import type { ReactNode } from 'react'
import { classes } from './classes.ts'

/** A connection from end to end; `upright` where there is no room beside each other. */
export function Path({ upright, children }: { upright: boolean; children: ReactNode }) {
  return <div className={classes('path', upright && 'upright')}>{children}</div>
}

/** What is at an end of a cable: its name, and what is known of it. */
export function PathEnd({
  tone,
  name,
  says,
  isMono = false,
}: {
  tone: 'ok' | 'fail' | 'off'
  name: string
  says: ReactNode
  isMono?: boolean
}) {
  return (
    <span className="row row-3 path-end">
      <span className={`jackbig ${tone}`} aria-hidden="true" />
      <span className="path-name">
        <b className={classes('strong', isMono && 'mono')}>{name}</b>
        <span className="small muted">{says}</span>
      </span>
    </span>
  )
}

/** The cable between two ends, with the cause on it while it is cut. `isDrawn`: it was plugged in just now. */
export function Wire({
  state,
  isDrawn = false,
  children,
}: {
  state: 'whole' | 'cut-off' | 'held' | 'loose'
  isDrawn?: boolean
  children?: ReactNode
}) {
  return <span className={classes('wire', state !== 'whole' && state, isDrawn && 'drawn')}>{children}</span>
}

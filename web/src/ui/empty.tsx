import './empty.css'
import './surface.css'
import type { ReactNode } from 'react'
import { classes } from './classes.ts'

/** Says that nothing is here: what this is, and the next thing to do. `children` is a button or a link. */
export function Empty({
  title,
  card = false,
  art = false,
  says,
  children,
}: {
  title: string
  card?: boolean
  /** Whether a jack with nothing in it is drawn. */
  art?: boolean
  says?: ReactNode
  children?: ReactNode
}) {
  return (
    <div className={classes('empty', card && 'card')}>
      {art && <LooseCable />}
      <h2 className="h-section">{title}</h2>
      {says && <p>{says}</p>}
      {children}
    </div>
  )
}

function LooseCable() {
  return (
    <svg
      className="empty-art"
      width="96"
      height="40"
      viewBox="0 0 96 40"
      fill="none"
      stroke="currentColor"
      strokeWidth="3"
      aria-hidden="true"
    >
      <circle cx="16" cy="14" r="9" />
      <circle cx="80" cy="14" r="9" />
      <path d="M16 14c0 20 20 24 34 20" strokeLinecap="round" />
    </svg>
  )
}

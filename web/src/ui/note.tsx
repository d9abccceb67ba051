import './note.css'
import type { ComponentType, ReactNode } from 'react'
import { classes } from './classes.ts'

type Tone = 'neutral' | 'wait' | 'fail' | 'ok'

/** A sentence or a small form in its place, with an icon that says of what kind it is. */
export function Note({
  icon: Icon,
  tone = 'neutral',
  role,
  children,
}: {
  icon?: ComponentType<{ className?: string }>
  tone?: Tone
  role?: 'status' | 'alert'
  children: ReactNode
}) {
  return (
    <div className={classes('note', tone !== 'neutral' && `${tone}-bg`)} role={role}>
      {Icon && <Icon className="i" />}
      <div className="grow">{children}</div>
    </div>
  )
}

import './step.css'
import Check from 'lucide-react/icons/check'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import type { ReactNode } from 'react'
import { classes } from './classes.ts'
import { Time } from './time.tsx'
import { useTurnedTrue } from './use-turned-true.ts'

type Props = {
  /** Its number. */
  n: number
  title: string
  /** When it was done. */
  at?: string | null | undefined
  isDone: boolean
  isCurrent: boolean
  /** It was tried, and does not work. */
  isBad?: boolean
  children?: ReactNode
}

/** One step of several; its cable to the next is drawn when its call came while this page was open. */
export function StepLine({ n, title, at, isDone, isCurrent, isBad = false, children }: Props) {
  const isNew = useTurnedTrue(isDone)
  return (
    <li
      className={classes('step', isDone && 'done', isCurrent && 'now', isBad && 'bad', isNew && 'drawn')}
      aria-current={isCurrent ? 'step' : undefined}
    >
      <span className="step-node" aria-hidden="true">
        {isDone ? <Check className="i" /> : isBad ? <TriangleAlert className="i i-14" /> : n}
      </span>
      <div className="step-in">
        <h2>
          {title}
          {isDone && at && <Time at={at} className="small faint" />}
        </h2>
        {children}
      </div>
    </li>
  )
}

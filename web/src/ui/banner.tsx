import './banner.css'
import type { ReactNode } from 'react'
import { classes } from './classes.ts'

/** A state of the whole app, at the top of the page, with what can be done about it. */
export function Banner({ tone = 'wait', children }: { tone?: 'wait' | 'fail' | 'accent'; children: ReactNode }) {
  return (
    <div className={classes('banner', tone === 'fail' && 'fail-bg', tone === 'accent' && 'accent-bg')} role="status">
      {children}
    </div>
  )
}

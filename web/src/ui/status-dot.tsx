import './status-dot.css'
import { classes } from './classes.ts'

/** The state of something that runs. Always with a word beside it. */
export function StatusDot({ state }: { state: 'ok' | 'wait' | 'fail' | 'off' | 'idle' }) {
  return <span className={classes('status-dot', state !== 'idle' && state)} aria-hidden="true" />
}

import './lamp.css'
import { classes } from './classes.ts'

/** The state of something that runs. Always with a word beside it. */
export function Lamp({ state }: { state: 'ok' | 'wait' | 'fail' | 'off' | 'idle' }) {
  return <span className={classes('lamp', state !== 'idle' && state)} aria-hidden="true" />
}

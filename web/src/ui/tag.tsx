import './tag.css'
import type { ComponentProps } from 'react'
import { classes } from './classes.ts'

export type Tone = 'neutral' | 'ok' | 'wait' | 'fail' | 'accent' | 'line'

/** A state in a word, with an icon or a status dot before it. */
export function Tag({ tone = 'neutral', className, ...rest }: ComponentProps<'span'> & { tone?: Tone }) {
  return <span {...rest} className={classes('tag', tone !== 'neutral' && tone, className)} />
}

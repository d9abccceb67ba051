import './surface.css'
import { Fragment, type ReactNode } from 'react'
import { classes } from './classes.ts'

/** Names and values, one line each; lines without a value are left out. */
export function KeyValues({
  lines,
  className,
}: {
  lines: readonly (readonly [name: string, value: ReactNode])[]
  className?: string
}) {
  return (
    <dl className={classes('kv', className)}>
      {lines.map(
        ([name, value]) =>
          value !== null &&
          value !== undefined && (
            <Fragment key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </Fragment>
          ),
      )}
    </dl>
  )
}

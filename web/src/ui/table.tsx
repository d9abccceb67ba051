import './table.css'
import type { ComponentProps } from 'react'
import { classes } from './classes.ts'

/**
 * Each row has a name, a `th` of scope `row`. Where the table has less than 720 px a row becomes lines: the name first, then
 * what else fits beside or below it, with the label that the head would have given. `fits`: two narrow columns, which stay.
 */
export function Table({
  label,
  fits = false,
  inCard = false,
  className,
  ...rest
}: ComponentProps<'table'> & { label: string; fits?: boolean; inCard?: boolean }) {
  return (
    <div className="table-frame">
      <table
        {...rest}
        aria-label={label}
        className={classes('table', !fits && 'stacks', inCard && 'in-card', className)}
      />
    </div>
  )
}

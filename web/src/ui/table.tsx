import './table.css'
import type { ComponentProps } from 'react'
import { classes } from './classes.ts'

/** `stacks`: under 900 px a row becomes lines, and a cell of class `full` takes a line of its own. */
export function Table({
  label,
  stacks = false,
  inCard = false,
  className,
  ...rest
}: ComponentProps<'table'> & { label: string; stacks?: boolean; inCard?: boolean }) {
  return (
    <table
      {...rest}
      aria-label={label}
      className={classes('table', stacks && 'stacks', inCard && 'in-card', className)}
    />
  )
}

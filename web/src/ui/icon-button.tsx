import './button.css'
import type { ComponentProps } from 'react'
import { classes } from './classes.ts'

/** A button with an icon alone; `label` is its name and what the pointer sees on hover. */
export function IconButton({
  label,
  small = false,
  className,
  ...rest
}: ComponentProps<'button'> & { label: string; small?: boolean }) {
  return (
    <button
      type="button"
      title={label}
      aria-label={label}
      {...rest}
      className={classes('icon-btn', small && 'icon-btn-sm', className)}
    />
  )
}

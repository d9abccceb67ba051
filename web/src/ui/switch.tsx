import './switch.css'
import type { ComponentProps, ReactNode } from 'react'
import { classes } from './classes.ts'

/** A switch that acts at once. */
export function Switch({
  on,
  onChange,
  children,
  className,
  ...rest
}: Omit<ComponentProps<'button'>, 'onChange'> & { on: boolean; onChange: (on: boolean) => void; children: ReactNode }) {
  return (
    <button
      type="button"
      role="switch"
      aria-checked={on}
      {...rest}
      className={classes('switch', className)}
      onClick={() => onChange(!on)}
    >
      <span className="switch-track" />
      {children}
    </button>
  )
}

import './check.css'
import type { ComponentProps, ReactNode } from 'react'

/** A tick, with its label beside it. */
export function Check({ children, ...rest }: ComponentProps<'input'> & { children: ReactNode }) {
  return (
    <label className="row check-label">
      <input type="checkbox" {...rest} className="check" />
      {children}
    </label>
  )
}

import type { ComponentProps } from 'react'
import { classes } from './classes.ts'

type Props = Omit<ComponentProps<'input'>, 'onChange' | 'onKeyDown'> & {
  label: string
  value: string
  onText: (text: string) => void
  onAdd: () => void
}

/** A line that Enter adds to what is above it, without sending the form around it. */
export function AddLine({ label, onText, onAdd, className, ...rest }: Props) {
  return (
    <input
      {...rest}
      className={classes('input input-sm', className)}
      aria-label={label}
      dir="auto"
      onChange={(event) => onText(event.target.value)}
      onKeyDown={(event) => {
        if (event.key !== 'Enter') return
        event.preventDefault()
        onAdd()
      }}
    />
  )
}

import './button.css'
import LoaderCircle from 'lucide-react/icons/loader-circle'
import type { ComponentProps, ReactNode } from 'react'
import { classes } from './classes.ts'

type Look = 'outline' | 'primary' | 'quiet' | 'fail' | 'destroy'

export type ButtonProps = ComponentProps<'button'> & {
  look?: Look
  size?: 'sm' | 'md' | 'lg'
  /** While it works: the verb with "…", shown in place of the label. The button keeps its width and cannot be pressed again. */
  busy?: string | false
}

/** One primary a view; its label is the verb and its object. */
export function Button({ look = 'outline', size = 'md', busy = false, className, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={classes(buttonClass(look, size), className)}
      aria-busy={busy ? true : undefined}
      onClick={busy ? undefined : rest.onClick}
    >
      {busy ? <Busy verb={busy}>{children}</Busy> : children}
    </button>
  )
}

/** The class of a link that looks like a button. */
export function buttonClass(look: Look = 'outline', size: 'sm' | 'md' | 'lg' = 'md'): string {
  return classes('btn', look !== 'outline' && `btn-${look}`, size !== 'md' && `btn-${size}`)
}

/** Both labels lie on each other, so that the wider one decides the width. */
function Busy({ verb, children }: { verb: string; children: ReactNode }) {
  return (
    <span className="btn-busy">
      <span className="row" aria-hidden="true">
        {children}
      </span>
      <span className="row">
        <LoaderCircle className="i i-14 i-spin" />
        {verb}
      </span>
    </span>
  )
}

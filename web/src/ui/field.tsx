import './field.css'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import { type ComponentProps, type ReactNode, useId } from 'react'
import { classes } from './classes.ts'

type FrameProps = {
  label: string
  /** Stands beside the label, at the right edge. */
  aside?: ReactNode
  hint?: ReactNode
  /** What is wrong and how to mend it; found on blur or on submit, never while typing. */
  error?: ReactNode
}

/** A line of text with its label, hint and error. */
export function Field({
  label,
  aside,
  hint,
  error,
  mono = false,
  className,
  ...rest
}: FrameProps & ComponentProps<'input'> & { mono?: boolean }) {
  const own = useId()
  const id = rest.id ?? own
  return (
    <FieldFrame id={id} label={label} aside={aside} hint={hint} error={error}>
      <input
        {...rest}
        id={id}
        className={classes('input', mono && 'mono', className)}
        aria-invalid={error ? true : undefined}
        aria-describedby={error || hint ? `${id}-about` : undefined}
      />
    </FieldFrame>
  )
}

export function TextField({ label, aside, hint, error, className, ...rest }: FrameProps & ComponentProps<'textarea'>) {
  const own = useId()
  const id = rest.id ?? own
  return (
    <FieldFrame id={id} label={label} aside={aside} hint={hint} error={error}>
      <textarea
        {...rest}
        id={id}
        className={classes('textarea', className)}
        aria-invalid={error ? true : undefined}
        aria-describedby={error || hint ? `${id}-about` : undefined}
      />
    </FieldFrame>
  )
}

export function SelectField({ label, aside, hint, error, className, ...rest }: FrameProps & ComponentProps<'select'>) {
  const own = useId()
  const id = rest.id ?? own
  return (
    <FieldFrame id={id} label={label} aside={aside} hint={hint} error={error}>
      <select
        {...rest}
        id={id}
        className={classes('select', className)}
        aria-describedby={error || hint ? `${id}-about` : undefined}
      />
    </FieldFrame>
  )
}

function FieldFrame({ id, label, aside, hint, error, children }: FrameProps & { id: string; children: ReactNode }) {
  return (
    <div className="field">
      <div className="row between">
        <label className="label" htmlFor={id}>
          {label}
        </label>
        {aside}
      </div>
      {children}
      {error ? (
        <ErrorLine id={`${id}-about`} error={error} />
      ) : (
        hint && (
          <span className="hint" id={`${id}-about`}>
            {hint}
          </span>
        )
      )}
    </div>
  )
}

/** What is wrong, under a field or a group of them. */
export function ErrorLine({ id, error }: { id?: string; error: ReactNode }) {
  if (!error) return null
  return (
    <span className="error" id={id}>
      <TriangleAlert className="i" />
      <span>{error}</span>
    </span>
  )
}

import { sayError } from './error-state.tsx'

/** Says why nothing came of it, beside the button that was pressed. */
export function Failed({ error }: { error: unknown }) {
  if (!error) return null
  const { title, hint } = sayError(error)
  return (
    <p className="fail" role="alert">
      {title} {hint}
    </p>
  )
}

import { sayError } from './error-state.tsx'

/** Beside the button that was pressed: why nothing came of it. */
export function Failed({ error }: { error: unknown }) {
  if (!error) return null
  const { title, hint } = sayError(error)
  return (
    <p className="fail" role="alert">
      {title} {hint}
    </p>
  )
}

import './empty.css'
import { ApiError, ConnectionError } from '../api.ts'
import { errorWords } from '../words/errors.ts'
import { Button } from './button.tsx'

/** What could not be shown, why, and a way to try again. */
export function ErrorState({ error, retry }: { error: unknown; retry: () => void }) {
  const { title, hint } = sayError(error)
  return (
    <div className="empty" role="alert">
      <h2 className="h-section">{title}</h2>
      <p>{hint}</p>
      <Button onClick={retry}>{errorWords.tryAgain}</Button>
    </div>
  )
}

/** What happened, and what to do. A refusal's own sentence is shown; a fault of ours has an id to give to somebody. */
export function sayError(error: unknown): { title: string; hint: string } {
  if (error instanceof ConnectionError) return { title: errorWords.noConnection, hint: errorWords.noConnectionHint }
  if (error instanceof ApiError && error.status < 500) return { title: error.message, hint: '' }
  const requestId = error instanceof ApiError ? error.requestId : null
  return {
    title: errorWords.ourFault,
    hint: requestId ? errorWords.ifItStays(requestId) : errorWords.ifItStaysWithoutId,
  }
}

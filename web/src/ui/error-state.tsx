import './empty.css'
import { Link } from '@tanstack/react-router'
import { ApiError, ConnectionError } from '../data/api.ts'
import { Button, buttonClass } from './button.tsx'
import { errorWords } from './error-words.ts'

/** What could not be shown, why, and a way to try again; or away, where trying again cannot help. */
export function ErrorState({ error, retry }: { error: unknown; retry: () => void }) {
  const { title, hint } = sayError(error)
  return (
    <div className="empty" role="alert">
      <h2 className="h-section">{title}</h2>
      <p>{hint}</p>
      {isFinal(error) ? (
        <Link to="/inbox" className={buttonClass('primary')}>
          {errorWords.toInbox}
        </Link>
      ) : (
        <Button onClick={retry}>{errorWords.tryAgain}</Button>
      )}
    </div>
  )
}

/** Whether trying again cannot help: who may not see it, or looks for what is not there, gets the same answer again. */
function isFinal(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 403 || error.status === 404)
}

/** Says what happened, and what to do. A refusal's own sentence is shown; an error of ours has an id to give to somebody. */
export function sayError(error: unknown): { title: string; hint: string } {
  if (error instanceof ConnectionError) return { title: errorWords.noConnection, hint: errorWords.noConnectionHint }
  if (error instanceof ApiError && error.status < 500) return { title: error.message, hint: '' }
  const requestId = error instanceof ApiError ? error.requestId : null
  return {
    title: errorWords.ourFault,
    hint: requestId ? errorWords.ifItStays(requestId) : errorWords.ifItStaysWithoutId,
  }
}

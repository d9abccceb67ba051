import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router'
import { buttonClass } from '../ui/button.tsx'
import { ErrorState } from '../ui/error-state.tsx'
import { errorWords } from '../ui/error-words.ts'
import { useTitle } from '../ui/use-title.ts'
import { shellWords } from './words.ts'
import '../ui/empty.css'
import { Mark } from './mark.tsx'

/** A screen that could not be shown. If its script is gone, the server has another version by now: then a reload helps. */
export function ScreenError({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  if (isMissingScript(error)) return <NewVersion />
  const retry = () => {
    reset()
    void router.invalidate()
  }
  return <ErrorState error={error} retry={retry} />
}

export function NotFound() {
  useTitle(shellWords.notFound)
  return (
    <main className="lone" id="main">
      <div className="empty">
        <Mark size={40} />
        <h1 className="h-page">{shellWords.notFound}</h1>
        <p>{shellWords.notFoundHint}</p>
        <Link to="/inbox" className={buttonClass('primary')}>
          {shellWords.toInbox}
        </Link>
      </div>
    </main>
  )
}

function NewVersion() {
  return (
    <div className="empty" role="alert">
      <h2 className="h-section">{errorWords.newVersion}</h2>
      <p>{errorWords.newVersionHint}</p>
      <button type="button" className={buttonClass('primary')} onClick={() => location.reload()}>
        {shellWords.reload}
      </button>
    </div>
  )
}

/** The words of Chromium, Firefox and Safari for a module that was not loaded. */
function isMissingScript(error: unknown): boolean {
  const words = /dynamically imported module|importing a module script failed|unable to preload css/i
  return error instanceof Error && words.test(error.message)
}

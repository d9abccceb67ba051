import { Link } from '@tanstack/react-router'
import Upload from 'lucide-react/icons/upload'
import { buttonClass } from '../../ui/button.tsx'
import { isOver, percentOf, useImports } from './use-imports.ts'
import { importWords as words } from './words.ts'

/** Opens the import; while one runs, it shows how far that is. */
export function ImportButton() {
  const { data } = useImports()
  const running = data?.imports.find(({ state }) => state === 'running')
  const open = data?.imports.some((one) => !isOver(one))
  return (
    <Link to="/contacts/import" search={true} className={`${buttonClass()} import-button`}>
      <Upload className="i" />
      {words.import}
      {running ? (
        <span className="mono small">
          <span aria-hidden="true">{percentOf(running)} %</span>
          <span className="sr">{words.running(percentOf(running))}</span>
        </span>
      ) : (
        open && <span className="status-dot" aria-hidden="true" />
      )}
    </Link>
  )
}

import Download from 'lucide-react/icons/download'
import { useMay } from '../data/use-may.ts'
import { buttonClass } from '../ui/button.tsx'
import type { ContactFilter } from './contact-pages.ts'
import { importWords as words } from './import/words.ts'

/** A link to what is shown as a CSV file: all contacts, those of a search, those of a list. It is for owners. */
export function ExportLink({ q, listId }: ContactFilter) {
  const { ownAtHome } = useMay()
  if (!ownAtHome) return null
  const query = new URLSearchParams({ ...(q && { q }), ...(listId && { listId }) }).toString()
  return (
    <a
      className={buttonClass('quiet')}
      href={`/api/contacts/export${query && `?${query}`}`}
      aria-label={words.export}
      download
    >
      <Download className="i" />
      <span className="only-wide">{words.export}</span>
    </a>
  )
}

import './parts.css'
import Lock from 'lucide-react/icons/lock'
import { ApiError } from '../../data/api.ts'
import { Button } from '../../ui/button.tsx'
import { sayError } from '../../ui/error-state.tsx'
import { channelWords as words } from '../words.ts'

/** A secret that is saved: that it is, and not one character of it. */
export function SavedSecret({
  label,
  says = words.saved,
  replace = words.replace,
  onReplace,
}: {
  label: string
  says?: string
  replace?: string
  onReplace?: () => void
}) {
  return (
    <div className="field">
      <span className="label">{label}</span>
      <div className="channel-secret">
        <Lock className="i" />
        <span className="grow">{says}</span>
        {onReplace && (
          <Button size="sm" onClick={onReplace}>
            {replace}
          </Button>
        )}
      </div>
    </div>
  )
}

/** Why it was not kept, and what the provider said. */
export function Refusal({ error, hint = '' }: { error: Error; hint: string | undefined }) {
  const { title, hint: next } = sayError(error)
  const quote = error instanceof ApiError ? error.quote : null
  return (
    <>
      {title} {hint} {next}
      {quote && (
        <span className="channel-quote">
          <bdi>{quote}</bdi>
        </span>
      )}
    </>
  )
}

import type { NewLink } from '@patchbay/contract/app/team.ts'
import { useMutation } from '@tanstack/react-query'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import { useEffect } from 'react'
import { Button } from '../../ui/button.tsx'
import { sayError } from '../../ui/error-state.tsx'
import { Note } from '../../ui/note.tsx'
import { ShownLink } from './shown-link.tsx'
import { teamWords as words } from './words.ts'

type Props = { name: string; says?: string; make: () => Promise<NewLink>; onClose: () => void }

/** Makes the link when it is shown, and shows it once. */
export function PasswordLink({ name, says = words.passwordLinkSays, make, onClose }: Props) {
  const making = useMutation({ mutationFn: make })
  const { mutate } = making
  useEffect(() => mutate(), [mutate])
  return (
    <div className="stack stack-3">
      <div className="row between wrap">
        <b className="strong">{words.passwordLink(name)}</b>
        <Button size="sm" look="quiet" onClick={onClose}>
          {words.close}
        </Button>
      </div>
      {making.data && (
        <div role="status">
          <ShownLink url={making.data.url} what={words.passwordLinkWhat} />
        </div>
      )}
      {making.error && (
        <Note icon={TriangleAlert} tone="fail" role="alert">
          {sayError(making.error).title} {sayError(making.error).hint}
        </Note>
      )}
      <span className="small muted">{says}</span>
    </div>
  )
}

import type { NewLink } from '@patchbay/contract/app/team.ts'
import { useMutation } from '@tanstack/react-query'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import { useEffect } from 'react'
import { Button } from '../../ui/button.tsx'
import { CopyLine } from '../../ui/copy-line.tsx'
import { sayError } from '../../ui/error-state.tsx'
import { Note } from '../../ui/note.tsx'
import { teamWords as words } from '../../words/team.ts'

type Props = { name: string; make: () => Promise<NewLink>; onClose: () => void }

/** Makes the link when it is shown, and shows it once. */
export function PasswordLink({ name, make, onClose }: Props) {
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
          <CopyLine text={making.data.url} what={words.passwordLinkWhat} whole />
        </div>
      )}
      {making.error && (
        <Note icon={TriangleAlert} tone="fail" role="alert">
          {sayError(making.error).title} {sayError(making.error).hint}
        </Note>
      )}
      <span className="small muted">{words.passwordLinkSays}</span>
    </div>
  )
}

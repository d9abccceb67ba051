import type { Member } from '@patchbay/contract/app/team.ts'
import { useMutation } from '@tanstack/react-query'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import { useEffect, useRef } from 'react'
import { call } from '../../data/api.ts'
import { queryClient, read } from '../../data/queries.ts'
import { Button } from '../../ui/button.tsx'
import { sayError } from '../../ui/error-state.tsx'
import { showToast } from '../../ui/toast.ts'
import { PasswordLink } from './password-link.tsx'
import { teamWords as words } from './words.ts'

export type MemberAction = 'remove' | 'password'

/** Asks before somebody is removed, or shows the link for a new password, under the row of the member. */
export function MemberForm({ member, action, onClose }: { member: Member; action: MemberAction; onClose: () => void }) {
  return action === 'remove' ? (
    <Remove member={member} onClose={onClose} />
  ) : (
    <PasswordLink
      name={member.name}
      make={() => call('POST /api/team/members/:userId/password', { params: { userId: member.id } })}
      onClose={onClose}
    />
  )
}

type Props = { member: Member; onClose: () => void }

function Remove({ member, onClose }: Props) {
  const keep = useRef<HTMLButtonElement>(null)
  useEffect(() => keep.current?.focus(), [])
  const remove = useMutation({
    mutationFn: () => call('DELETE /api/team/members/:userId', { params: { userId: member.id } }),
    onSuccess: (team) => {
      showToast({ text: words.removed(member.name) })
      queryClient.setQueryData(read('GET /api/team').queryKey, team)
    },
  })
  return (
    <div className="note fail-bg wrap" role="alert">
      <TriangleAlert className="i" />
      <div className="grow note-ask">
        <b className="strong">{words.removeTitle(member.name)}</b>
        <br />
        <span>{remove.error ? sayError(remove.error).title : words.removeSays}</span>
      </div>
      <div className="row wrap">
        <Button size="sm" ref={keep} onClick={onClose}>
          {words.keep}
        </Button>
        <Button size="sm" look="destroy" busy={remove.isPending && words.removing} onClick={() => remove.mutate()}>
          {words.removeNow(member.name)}
        </Button>
      </div>
    </div>
  )
}

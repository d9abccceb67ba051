import { useMutation } from '@tanstack/react-query'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import { useState } from 'react'
import { call } from '../../data/api.ts'
import { queryClient } from '../../data/queries.ts'
import { Button } from '../../ui/button.tsx'
import { sayError } from '../../ui/error-state.tsx'
import { Note } from '../../ui/note.tsx'
import { ShownLink } from './shown-link.tsx'
import { teamWords as words } from './words.ts'

/** Makes a link that lets one person in. Only its hash is kept, so it is shown here until the page is left. */
export function InviteLink() {
  const [isOwner, setOwner] = useState(false)
  const make = useMutation({
    mutationFn: () => call('POST /api/team/invitations', { body: { isOwner } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['GET /api/team'] }),
  })
  return (
    <section className="well stack stack-3 invite-link" aria-labelledby="invite-by-link">
      <div className="row between wrap">
        <h2 className="h-section" id="invite-by-link">
          {words.invite}
        </h2>
        <span className="small muted">{words.inviteSays}</span>
      </div>
      <div className="row wrap">
        <label className="row small">
          {words.as}
          <select
            className="select input-sm"
            aria-label={words.role}
            value={isOwner ? 'owner' : 'member'}
            onChange={(event) => setOwner(event.target.value === 'owner')}
          >
            <option value="member">{words.member}</option>
            <option value="owner">{words.owner}</option>
          </select>
        </label>
        <Button size="sm" busy={make.isPending && words.makingLink} onClick={() => make.mutate()}>
          {words.newLink}
        </Button>
        {!make.data && <span className="small muted">{words.inviteHint}</span>}
      </div>
      {make.data && (
        <div className="stack" role="status">
          <ShownLink url={make.data.url} what={words.linkWhat} />
          <span className="small wait">{words.shownOnce}</span>
        </div>
      )}
      {make.error && (
        <Note icon={TriangleAlert} tone="fail" role="alert">
          {sayError(make.error).title} {sayError(make.error).hint}
        </Note>
      )}
    </section>
  )
}

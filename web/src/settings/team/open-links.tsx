import type { Team } from '@patchbay/contract/app/team.ts'
import { useMutation } from '@tanstack/react-query'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import { call } from '../../data/api.ts'
import { queryClient } from '../../data/queries.ts'
import { Button } from '../../ui/button.tsx'
import { sayError } from '../../ui/error-state.tsx'
import { Time } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.ts'
import { teamWords as words } from './words.ts'

/** Links that nobody has used yet; they can be withdrawn, not shown again. */
export function OpenLinks({ invitations, passwordLinks }: Pick<Team, 'invitations' | 'passwordLinks'>) {
  return (
    <>
      <Links
        title={words.open}
        links={invitations.map(({ id, makesOwner, madeBy, endsAt }) => ({
          id,
          endsAt,
          says: words.openAs(makesOwner ? words.owner : words.member, madeBy),
        }))}
      />
      <Links
        title={words.openPasswords}
        links={passwordLinks.map(({ id, name, madeBy, isByAgency, endsAt }) => ({
          id,
          endsAt,
          says: (isByAgency ? words.openPasswordByAgency : words.openPassword)(name, madeBy),
        }))}
      />
    </>
  )
}

type Link = { id: string; says: string; endsAt: string }

function Links({ title, links }: { title: string; links: Link[] }) {
  const withdraw = useMutation({
    mutationFn: (linkId: string) => call('DELETE /api/team/links/:linkId', { params: { linkId } }),
    // The session too: a notice at the top says whether a link of the agency is still open.
    onSettled: () =>
      Promise.all(
        ['GET /api/team', 'GET /api/session'].map((route) => queryClient.invalidateQueries({ queryKey: [route] })),
      ),
    onError: (error) => showToast({ text: sayError(error).title, icon: TriangleAlert }),
  })
  if (links.length === 0) return null
  return (
    <section className="stack" aria-label={title}>
      <h2 className="h-section">{title}</h2>
      <ul className="stack">
        {links.map(({ id, says, endsAt }) => (
          <li className="row between" key={id}>
            <span>
              {says}
              <span className="muted">
                {' · '}
                {words.ends} <Time at={endsAt} as="clock" />
              </span>
            </span>
            <Button
              size="sm"
              look="quiet"
              aria-label={words.withdrawIt(says)}
              busy={withdraw.isPending && withdraw.variables === id && words.withdrawing}
              onClick={() => withdraw.mutate(id)}
            >
              {words.withdraw}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}

import type { Team } from '@patchbay/contract/app/team.ts'
import { useMutation } from '@tanstack/react-query'
import { call } from '../../api.ts'
import { queryClient } from '../../queries.ts'
import { Button } from '../../ui/button.tsx'
import { Time } from '../../ui/time.tsx'
import { teamWords as words } from '../../words/team.ts'

/** Links that nobody has used yet; they can be withdrawn, not shown again. */
export function Invitations({ invitations }: Pick<Team, 'invitations'>) {
  const withdraw = useMutation({
    mutationFn: (linkId: string) => call('DELETE /api/team/invitations/:linkId', { params: { linkId } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['GET /api/team'] }),
  })
  if (invitations.length === 0) return null
  return (
    <section className="stack" aria-label={words.open}>
      <h2 className="h-section">{words.open}</h2>
      <ul className="stack">
        {invitations.map(({ id, makesOwner, madeBy, endsAt }) => (
          <li className="row between" key={id}>
            <span>
              {words.openAs(makesOwner ? words.owner : words.member, madeBy)}
              <span className="muted">
                {' · '}
                {words.ends} <Time at={endsAt} as="clock" />
              </span>
            </span>
            <Button
              size="sm"
              look="quiet"
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

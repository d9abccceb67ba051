import '../../ui/surface.css'
import '../../ui/field.css'
import './team.css'
import { useQuery } from '@tanstack/react-query'
import Info from 'lucide-react/icons/info'
import { read } from '../../data/queries.ts'
import { useRefresh } from '../../data/use-refresh.ts'
import { shellWords } from '../../shell/words.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { Note } from '../../ui/note.tsx'
import { Loading, Skeleton } from '../../ui/skeleton.tsx'
import { SettingsPage } from '../settings-page.tsx'
import { InviteLink } from './invite-link.tsx'
import { MemberTable } from './member-table.tsx'
import { OpenLinks } from './open-links.tsx'
import { teamWords as words } from './words.ts'

/** Settings › Team: who may sign in to this account. */
export function TeamSettings() {
  const team = useQuery(read('GET /api/team'))
  useRefresh(['team'], ['GET /api/team'])
  return (
    <SettingsPage title={shellWords.team} sub={team.data && words.people(team.data.members.length)}>
      <div className="page narrow">
        {team.data ? (
          <>
            <InviteLink />
            <OpenLinks invitations={team.data.invitations} passwordLinks={team.data.passwordLinks} />
            <MemberTable members={team.data.members} />
            <Note icon={Info}>{words.note}</Note>
          </>
        ) : team.error ? (
          <ErrorState error={team.error} retry={() => void team.refetch()} />
        ) : (
          <Loading>
            <Skeleton width="100%" height={92} />
            <Skeleton width="100%" height={200} />
          </Loading>
        )}
      </div>
    </SettingsPage>
  )
}

import type { Member } from '@patchbay/contract/app/team.ts'
import { useQuery } from '@tanstack/react-query'
import Ellipsis from 'lucide-react/icons/ellipsis'
import { useState } from 'react'
import { read } from '../../data/queries.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { Menu } from '../../ui/menu.tsx'
import type { MenuItem } from '../../ui/menu-overlay.tsx'
import { Table } from '../../ui/table.tsx'
import { Tag } from '../../ui/tag.tsx'
import { Time } from '../../ui/time.tsx'
import { type MemberAction, MemberForm } from './member-form.tsx'
import { useSetRole } from './use-set-role.ts'
import { teamWords as words } from './words.ts'

export function MemberTable({ members }: { members: Member[] }) {
  const { person, role, seen, actions } = words.columns
  const ownId = useQuery(read('GET /api/session')).data?.user.id
  return (
    <div className="card">
      <Table label={words.table} inCard>
        <thead>
          <tr>
            <th>{person}</th>
            <th>{role}</th>
            <th className="only-wide">{seen}</th>
            <th>
              <span className="sr">{actions}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {members.map((member) => (
            <MemberRow member={member} isYou={member.id === ownId} key={member.id} />
          ))}
        </tbody>
      </Table>
    </div>
  )
}

function MemberRow({ member, isYou }: { member: Member; isYou: boolean }) {
  const [action, setAction] = useState<MemberAction>()
  return (
    <>
      <tr>
        <th scope="row">
          <b className="strong">{member.name}</b> {isYou && <Tag>{words.you}</Tag>}{' '}
          {member.isHolder && (
            <Tag tone="line" title={words.holderTitle}>
              {words.holder}
            </Tag>
          )}
          <br />
          <span className="small muted">{member.email}</span>
        </th>
        <td>
          {member.isOwner ? words.owner : words.member}
          {member.isManager && <span className="muted">, {words.manages}</span>}
        </td>
        <td className="faint only-wide">
          <LastSeen at={member.seenAt} isYou={isYou} />
        </td>
        <td className="member-actions">
          <MemberMenu member={member} onAsk={setAction} />
        </td>
      </tr>
      {action && (
        <tr className="team-form">
          <td colSpan={4}>
            <MemberForm member={member} action={action} onClose={() => setAction(undefined)} />
          </td>
        </tr>
      )}
    </>
  )
}

function LastSeen({ at, isYou }: { at: string | null; isYou: boolean }) {
  if (isYou) return words.now
  return at === null ? words.never : <Time at={at} />
}

function MemberMenu({ member, onAsk }: { member: Member; onAsk: (action: MemberAction) => void }) {
  const setRole = useSetRole()
  const { id, isOwner, isManager, name } = member
  const items: MenuItem[] = [
    {
      label: isOwner ? words.makeMember : words.makeOwner,
      run: () => setRole.mutate({ userId: id, isOwner: !isOwner }),
    },
    ...(isOwner
      ? []
      : [
          {
            label: isManager ? words.stopManaging : words.letManage,
            run: () => setRole.mutate({ userId: id, isManager: !isManager }),
          },
        ]),
    { label: words.resetPassword, run: () => onAsk('password') },
    { label: words.remove, destroys: true, run: () => onAsk('remove') },
  ]
  return (
    <Menu
      label={words.actions(name)}
      items={items}
      trigger={(props) => (
        <IconButton label={words.actions(name)} {...props}>
          <Ellipsis className="i" />
        </IconButton>
      )}
    />
  )
}

import type { ConversationDetail } from '@patchbay/contract/app/conversations.ts'
import { useQuery } from '@tanstack/react-query'
import Check from 'lucide-react/icons/check'
import UserRound from 'lucide-react/icons/user-round'
import { read } from '../../data/queries.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Menu } from '../../ui/menu.tsx'
import type { MenuItem } from '../../ui/menu-overlay.tsx'
import { conversationCommand } from '../conversation-command.ts'
import { useStores } from '../data/stores.ts'
import { useActions } from '../data/use-actions.ts'
import { inboxWords } from '../words.ts'
import { teamWords as words } from './words.ts'

/** Who has the conversation, and the menu that gives it to somebody else. */
export function AssignMenu({ detail }: { detail: ConversationDetail }) {
  const { me } = useStores()
  const { assignee } = detail.conversation
  const items = useAssignItems(detail)
  const isMine = assignee?.id === me.user.id
  const name = isMine ? words.you : (assignee?.name ?? words.assign)
  return (
    <Menu
      label={words.assign}
      command={conversationCommand('assign', inboxWords.keys.assign, 'a', UserRound)}
      items={items}
      trigger={(props) => (
        <button
          {...props}
          type="button"
          className="btn btn-sm btn-quiet only-wide thread-head-assignee"
          title={words.assign}
        >
          {assignee ? <Avatar name={assignee.name} mine={isMine} /> : <UserRound className="i" />}
          {assignee && <span className="sr">{words.assignedTo} </span>}
          <bdi className="cut">{name}</bdi>
        </button>
      )}
    />
  )
}

/** The items of the menu: me first, then the others, then nobody. */
export function useAssignItems({ contact, conversation }: ConversationDetail): MenuItem[] {
  const { me } = useStores()
  const { assign } = useActions(contact.id)
  const { data } = useQuery(read('GET /api/assignees'))
  const users = data?.users ?? []
  const current = conversation.assignee?.id ?? null
  const item = (label: string, id: string | null, run: () => void): MenuItem => ({
    label,
    run,
    ...(id === current && { icon: Check }),
  })
  return [
    ...users.filter(({ id }) => id === me.user.id).map((user) => item(words.you, user.id, () => void assign(user))),
    ...users.filter(({ id }) => id !== me.user.id).map((user) => item(user.name, user.id, () => void assign(user))),
    item(words.nobody, null, () => void assign(null)),
  ]
}

import type { ConversationFilter } from '@patchbay/contract/app/conversations.ts'
import { Link } from '@tanstack/react-router'
import { buttonClass } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { inboxWords as words } from '../../words/inbox.ts'

/** Nothing under this filter: what would be here, and where to go. */
export function EmptyList({ filter }: { filter: ConversationFilter }) {
  const [title, says] = sentences[filter]
  return (
    <div className="convos">
      <Empty title={title} says={says} art={filter === 'all' || filter === 'waiting'}>
        {filter === 'all' ? (
          <Link to="/first-run" className={buttonClass()}>
            {words.emptyAllAct}
          </Link>
        ) : (
          <Link to="." search={{}} className={buttonClass()}>
            {words.showAll}
          </Link>
        )}
      </Empty>
    </div>
  )
}

const sentences: Record<ConversationFilter, readonly [string, string]> = {
  all: [words.emptyAll, words.emptyAllHint],
  unread: [words.emptyUnread, words.emptyUnreadHint],
  waiting: [words.emptyWaiting, words.emptyWaitingHint],
  failed: [words.emptyFailed, words.emptyFailedHint],
}

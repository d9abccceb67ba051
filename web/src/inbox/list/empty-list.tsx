import { Link } from '@tanstack/react-router'
import { buttonClass } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { partsOf, type View } from '../filters.ts'
import { teamWords } from '../team/words.ts'
import { inboxWords as words } from '../words.ts'

/** Nothing under this filter: what would be here, and where to go. */
export function EmptyList({ view }: { view: View }) {
  const [kind, name] = partsOf(view)
  const [title, says] =
    kind === 'filter'
      ? (sentences[name] ?? sentences.all)
      : [teamWords.emptyNarrow[kind](name), teamWords.emptyNarrowHint[kind]]
  return (
    <div className="convos">
      <Empty title={title} says={says} art={view === 'all' || view === 'waiting'}>
        {view === 'all' ? (
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

const sentences: Record<string, readonly [string, string]> & { all: readonly [string, string] } = {
  all: [words.emptyAll, words.emptyAllHint],
  mine: [teamWords.emptyMine, teamWords.emptyMineHint],
  unread: [words.emptyUnread, words.emptyUnreadHint],
  waiting: [words.emptyWaiting, words.emptyWaitingHint],
  failed: [words.emptyFailed, words.emptyFailedHint],
  closed: [teamWords.emptyClosed, teamWords.emptyClosedHint],
  snoozed: [teamWords.emptySnoozed, teamWords.emptySnoozedHint],
}

import type { ConversationDetail } from '@patchbay/contract/app/conversations.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ApiError } from '../../data/api.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { Composer } from '../compose/composer.tsx'
import { HandlerBar } from '../compose/handler-bar.tsx'
import { useReplyWays } from '../compose/reply-ways.ts'
import { stoppedIn } from '../compose/stopped.ts'
import { StoppedBar } from '../compose/stopped-bar.tsx'
import { detailQuery, findRow, threadQuery } from '../data/queries.ts'
import type { LoadedThread } from '../data/thread-cache.ts'
import { shortName, shownName } from '../names.ts'
import { inboxWords as words } from '../words.ts'
import { ThreadHead } from './thread-head.tsx'
import { ThreadLog } from './thread-log.tsx'
import { ThreadSkeleton } from './thread-skeleton.tsx'

/** A conversation: who it is with, what was said, who answers, and the composer. */
export function ThreadPane({ contactId, isContactShown, toggleContact }: Props) {
  const { data: detail, error: detailError, refetch: refetchDetail } = useQuery(detailQuery(contactId))
  const { data: thread, error: threadError, refetch: refetchThread } = useQuery(threadQuery(contactId))
  const row = detail?.conversation ?? findRow(contactId)
  const name = row ? shownName(row) || words.noName : ''
  useTitle(name === '' ? words.title : words.titleOf(name))
  const error = (!detail && detailError) || (!thread && threadError)
  return (
    <section className="pane pane-thread" aria-label={words.conversationWith(name)} data-pane="thread">
      {error ? (
        <Unavailable error={error} retry={() => void Promise.all([refetchDetail(), refetchThread()])} />
      ) : (
        <>
          <ThreadHead
            contactId={contactId}
            name={name}
            detail={detail}
            isContactShown={isContactShown}
            toggleContact={toggleContact}
            channel={row?.channel}
          />
          {thread ? (
            <ThreadLog contactId={contactId} thread={thread} detail={detail} name={firstNameOf(detail) ?? name} />
          ) : (
            <ThreadSkeleton />
          )}
          <div className="compose">
            {detail && <Bars detail={detail} thread={thread} />}
            <Composer contactId={contactId} name={firstNameOf(detail) ?? name} thread={thread} />
          </div>
        </>
      )}
    </section>
  )
}

/** What stands above the composer. Who is stopped and reached by no other way is answered by nobody, so that is all there is to say. */
function Bars({ detail, thread }: { detail: ConversationDetail; thread: LoadedThread | undefined }) {
  const { way, choose } = useReplyWays(detail.contact.id, detail, thread)
  const stopped = stoppedIn(detail.replyBy, way)
  return (
    <>
      {stopped && <StoppedBar {...stopped} name={shortName(detail) || words.noName} choose={choose} />}
      {stopped?.others.length !== 0 && <HandlerBar detail={detail} thread={thread} />}
    </>
  )
}

type Props = { contactId: string; isContactShown: boolean; toggleContact: () => void }

function firstNameOf(detail: ConversationDetail | undefined): string | undefined {
  return detail?.contact.firstName ?? undefined
}

/** Stands in place of the thread while no conversation is open. */
export function NoThread() {
  useTitle(words.title)
  return (
    <section className="pane pane-thread" aria-label={words.chooseOne} data-pane="thread">
      <div className="choose-one">
        <Empty title={words.chooseOne} says={words.chooseOneHint} art />
      </div>
    </section>
  )
}

function Unavailable({ error, retry }: { error: Error; retry: () => void }) {
  if (!(error instanceof ApiError && error.status === 404)) return <ErrorState error={error} retry={retry} />
  return (
    <div className="choose-one">
      <Empty title={words.gone} says={words.goneHint} art>
        <Link to="/inbox" className={buttonClass()}>
          {words.showAll}
        </Link>
      </Empty>
    </div>
  )
}

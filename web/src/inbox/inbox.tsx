import './inbox.css'
import './list/list.css'
import './thread/thread.css'
import './compose/compose.css'
import './contact/contact.css'
import './team/team.css'
import { useParams, useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useCallback, useEffect, useRef } from 'react'
import { createStore, useStore } from '../data/store.ts'
import { classes } from '../ui/classes.ts'
import { useMedia } from '../ui/use-media.ts'
import { ContactPane } from './contact/contact-pane.tsx'
import { useLiveInbox } from './data/use-live-inbox.ts'
import { viewOf } from './filters.ts'
import { ListPane } from './list/list-pane.tsx'
import { focusPane, focusRow } from './panes.ts'
import { savedRepliesOpen } from './team/saved-open.ts'
import { NoThread, ThreadPane } from './thread/thread-pane.tsx'
import { useInboxCommands } from './use-inbox-commands.ts'
import { inboxWords } from './words.ts'
import { writeTo } from './write/write-to.ts'

const SavedReplies = lazy(() =>
  import('./team/saved-replies.tsx').then(({ SavedReplies }) => ({ default: SavedReplies })),
)

const WriteSheet = lazy(() => import('./write/write-sheet.tsx').then(({ WriteSheet }) => ({ default: WriteSheet })))

/** Whether the contact is shown; null: as the width of the page allows. */
const contactWish = createStore<boolean | null>(null)

/** Conversations, thread, contact. Under 640 px the list or the thread. */
export function Inbox() {
  const { contactId: openId } = useParams({ strict: false })
  const view = viewOf(useSearch({ from: '/shell/inbox' }))
  const hasRoom = useMedia('(width >= 1360px)')
  const isNarrow = useMedia('(width < 1100px)')
  const isPhone = useMedia('(width < 640px)')
  const wish = useStore(contactWish)
  const isSavedOpen = useStore(savedRepliesOpen)
  const wanted = useStore(writeTo)
  const isContactShown = openId !== undefined && (wish ?? hasRoom)
  const toggleContact = useCallback(() => {
    contactWish.set(!isContactShown)
    if (!isContactShown) requestAnimationFrame(() => focusPane('contact'))
    else if (document.activeElement?.closest('[data-pane="contact"]')) focusPane('thread')
  }, [isContactShown])
  useLiveInbox()
  useInboxCommands({ openId, isSheet: isContactShown && isNarrow, toggleContact })
  useFocusBack(openId)
  return (
    <div className={classes('inbox', isContactShown && 'with-contact')} data-view={openId ? 'thread' : 'list'}>
      {isPhone && openId && <h1 className="sr">{inboxWords.title}</h1>}
      <ListPane view={view} openId={openId} />
      {openId ? (
        <ThreadPane key={openId} contactId={openId} isContactShown={isContactShown} toggleContact={toggleContact} />
      ) : (
        <NoThread />
      )}
      {isSavedOpen && (
        <Suspense>
          <SavedReplies />
        </Suspense>
      )}
      {wanted && (
        <Suspense>
          <WriteSheet key={wanted.contact?.id} {...wanted} />
        </Suspense>
      )}
      {isContactShown && <ContactPane contactId={openId} onClose={toggleContact} />}
    </div>
  )
}

/**
 * Keeps the focus on a phone. There the list goes when a conversation is opened, and the pressed row with it: the focus
 * goes on in the thread, and back in the list to the conversation that was open.
 */
function useFocusBack(openId: string | undefined): void {
  const before = useRef(openId)
  useEffect(() => {
    const left = before.current
    before.current = openId
    if (left === openId || document.activeElement !== document.body) return
    if (openId === undefined && left !== undefined) focusRow(left)
    else if (left === undefined) requestAnimationFrame(() => focusPane('thread'))
  }, [openId])
}

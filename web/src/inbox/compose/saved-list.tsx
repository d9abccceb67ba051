import { Kbd } from '../../ui/kbd.tsx'
import { savedWords as words } from '../team/saved-reply-words.ts'
import type { SavedReplies } from './use-saved-replies.ts'

/** The saved replies above the composer. The focus stays in the text. */
export function SavedList({ saved: { replies, at, takeAt, listId, hasAny } }: { saved: SavedReplies }) {
  const option = (index: number) => ({
    id: `${listId}-${index}`,
    role: 'option',
    'aria-selected': index === at,
    tabIndex: -1,
    // Before the text loses the focus.
    onPointerDown: (event: { preventDefault: () => void }) => {
      event.preventDefault()
      takeAt(index)
    },
  })
  return (
    <div className="menu saved-list" role="listbox" id={listId} aria-label={words.savedReplies}>
      {replies.map((reply, index) => (
        <div key={reply.id} {...option(index)}>
          <span className="mono strong">/{reply.shortcut}</span>
          <span className="cut grow muted">{reply.body}</span>
          {index === at && <Kbd press="Enter" />}
        </div>
      ))}
      <div {...option(replies.length)}>
        <span className="grow">
          {replies.length > 0 ? '' : `${hasAny ? words.noReplyMatches : words.noRepliesYet} `}
          {words.manageReplies}
        </span>
      </div>
    </div>
  )
}

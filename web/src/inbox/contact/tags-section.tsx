import type { ConversationDetail } from '@patchbay/contract/app/conversations.ts'
import { Link } from '@tanstack/react-router'
import X from 'lucide-react/icons/x'
import { lazy, Suspense, useState } from 'react'
import { useActions } from '../data/use-actions.ts'
import { tagWords as words } from './tag-words.ts'

const AddTag = lazy(() => import('./add-tag.tsx').then(({ AddTag }) => ({ default: AddTag })))

/** The tags of the conversation. One is made by typing it. */
export function TagsSection({ detail: { tags, contact } }: { detail: ConversationDetail }) {
  const { removeTag } = useActions(contact.id)
  const [isAdding, setAdding] = useState(false)
  return (
    <section className="panel-sec">
      <h3>
        {words.tags}{' '}
        <button
          type="button"
          className="link small"
          aria-label={words.addTagLong}
          aria-expanded={isAdding}
          onClick={() => setAdding(!isAdding)}
        >
          {words.addTag}
        </button>
      </h3>
      {isAdding && (
        <Suspense>
          <AddTag contactId={contact.id} taken={tags} onLeave={() => setAdding(false)} />
        </Suspense>
      )}
      {tags.length === 0 ? (
        !isAdding && <p className="small muted">{words.noTags}</p>
      ) : (
        <ul className="row wrap list-tags">
          {tags.map((tag) => (
            <li className="tag" key={tag}>
              <Link to="/inbox/$contactId" params={{ contactId: contact.id }} search={{ tag }} className="cut">
                <bdi>{tag}</bdi>
              </Link>
              <button
                type="button"
                aria-label={words.removeTag(tag)}
                title={words.removeTag(tag)}
                onClick={() => void removeTag(tag)}
              >
                <X className="i" />
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

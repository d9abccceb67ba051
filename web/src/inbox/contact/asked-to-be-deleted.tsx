import type { ConversationDetail } from '@patchbay/contract/app/conversations.ts'
import { Link } from '@tanstack/react-router'
import Trash2 from 'lucide-react/icons/trash-2'
import { eraseHash } from '../../contacts/erase-contact.tsx'
import { useMay } from '../../data/use-may.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Note } from '../../ui/note.tsx'
import { Time } from '../../ui/time.tsx'
import { shortName } from '../names.ts'
import { inboxWords } from '../words.ts'
import { visitorWords as words } from './visitor-words.ts'

/** They asked that what is here of them goes: a person decides, and an owner does it. */
export function AskedToBeDeleted({ detail, at }: { detail: ConversationDetail; at: string }) {
  const { ownAtHome } = useMay()
  return (
    <section className="panel-sec first">
      <Note tone="wait" icon={Trash2}>
        <div className="stack stack-3">
          <p>
            <b className="strong">
              <bdi>{words.askedToBeDeleted(shortName(detail) || inboxWords.noName)}</bdi>
            </b>{' '}
            <Time at={at} />. {words.askedHow}
          </p>
          {ownAtHome ? (
            <div className="row">
              <Link
                to="/contacts/$contactId"
                params={{ contactId: detail.contact.id }}
                hash={eraseHash}
                className={buttonClass('fail', 'sm')}
              >
                {words.erase}
              </Link>
            </div>
          ) : (
            <p>{words.ownerErases}</p>
          )}
        </div>
      </Note>
    </section>
  )
}

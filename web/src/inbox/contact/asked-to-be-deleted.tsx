import type { ConversationDetail } from '@patchbay/contract/app/conversations.ts'
import { Link } from '@tanstack/react-router'
import Trash2 from 'lucide-react/icons/trash-2'
import { useState } from 'react'
import { eraseHash } from '../../contacts/erase-contact.tsx'
import { useMay } from '../../data/use-may.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Note } from '../../ui/note.tsx'
import { Time } from '../../ui/time.tsx'
import { useActions } from '../data/use-actions.ts'
import { shortName } from '../names.ts'
import { inboxWords } from '../words.ts'
import { visitorWords as words } from './visitor-words.ts'

/** They asked that what is here of them goes: a person decides that they stay, or an owner erases them. */
export function AskedToBeDeleted({ detail, at }: { detail: ConversationDetail; at: string }) {
  const { ownAtHome } = useMay()
  const { keep } = useActions(detail.contact.id)
  const [isBusy, setBusy] = useState(false)
  const decide = async () => {
    setBusy(true)
    await keep()
    setBusy(false)
  }
  return (
    <section className="panel-sec first">
      <Note tone="wait" icon={Trash2}>
        <div className="stack stack-3">
          <p>
            <b className="strong">
              <bdi>{words.askedToBeDeleted(shortName(detail) || inboxWords.noName)}</bdi>
            </b>{' '}
            <Time at={at} />. {words.askedHow} {words.keepSays}
          </p>
          {!ownAtHome && <p>{words.ownerErases}</p>}
          <div className="row wrap">
            {ownAtHome && (
              <Link
                to="/contacts/$contactId"
                params={{ contactId: detail.contact.id }}
                hash={eraseHash}
                className={buttonClass('fail', 'sm')}
              >
                {words.erase}
              </Link>
            )}
            <Button size="sm" busy={isBusy && words.keeping} onClick={() => void decide()}>
              {words.keepThem}
            </Button>
          </div>
        </div>
      </Note>
    </section>
  )
}

import type { ShownContact } from '@patchbay/contract/app/contacts.ts'
import BellOff from 'lucide-react/icons/bell-off'
import FlaskConical from 'lucide-react/icons/flask-conical'
import { exactTime, shortDate } from '../ui/format-time.ts'
import { Note } from '../ui/note.tsx'
import { Tag } from '../ui/tag.tsx'
import { contactWords as words } from './words.ts'

/** What is special about a contact, beside its name. */
export function ContactTags({ contact }: { contact: ShownContact }) {
  return (
    <>
      {contact.isSimulated && (
        <Tag tone="line" title={words.simulatedHint}>
          <FlaskConical className="i" />
          {words.simulated}
        </Tag>
      )}
      {contact.optedOutAt !== null && (
        <Tag title={exactTime(new Date(contact.optedOutAt))}>
          <BellOff className="i" />
          {words.optedOut}
        </Tag>
      )}
    </>
  )
}

/** What is special about a contact, in sentences. */
export function ContactStates({ contact }: { contact: ShownContact }) {
  return (
    <div className="stack">
      {contact.optedOutAt !== null && (
        <Note icon={BellOff}>{words.optedOutHint(shortDate(new Date(contact.optedOutAt), new Date()))}</Note>
      )}
      {contact.isSimulated && <Note icon={FlaskConical}>{words.simulatedHint}</Note>}
    </div>
  )
}

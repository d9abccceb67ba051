import type { ConversationDetail } from '@patchbay/contract/app/conversations.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import Pencil from 'lucide-react/icons/pencil'
import X from 'lucide-react/icons/x'
import { lazy, Suspense } from 'react'
import { Avatar } from '../../ui/avatar.tsx'
import { CopyLine } from '../../ui/copy-line.tsx'
import { formatPhone } from '../../ui/format-phone.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { KeyValues } from '../../ui/kv.tsx'
import { detailQuery } from '../data/queries.ts'
import { shownName } from '../names.ts'
import { inboxWords as words } from '../words.ts'
import { ListsSection } from './lists-section.tsx'
import { isOnChannels, ReachedBy } from './reached-by.tsx'
import { RepliesSection } from './replies-section.tsx'
import { StoppedSection } from './stopped-section.tsx'
import { TagsSection } from './tags-section.tsx'
import { WhoSection } from './who-section.tsx'

const AskedToBeDeleted = lazy(() =>
  import('./asked-to-be-deleted.tsx').then(({ AskedToBeDeleted }) => ({ default: AskedToBeDeleted })),
)

/** The contact of the open conversation. Nothing here is needed to reply. */
export function ContactPane({ contactId, onClose }: { contactId: string; onClose: () => void }) {
  const { data: detail } = useQuery(detailQuery(contactId))
  return (
    <aside className="pane pane-contact" aria-label={words.contact} data-pane="contact">
      {detail && (
        <>
          <Head detail={detail} onClose={onClose} />
          <Suspense>
            {detail.askedToBeDeletedAt && <AskedToBeDeleted detail={detail} at={detail.askedToBeDeletedAt} />}
          </Suspense>
          <Details detail={detail} />
          {isOnChannels(detail) && <ReachedBy detail={detail} />}
          <StoppedSection detail={detail} />
          <WhoSection detail={detail} />
          <ListsSection detail={detail} />
          <TagsSection detail={detail} />
          <RepliesSection detail={detail} />
        </>
      )}
    </aside>
  )
}

function Head({ detail: { contact, conversation }, onClose }: { detail: ConversationDetail; onClose: () => void }) {
  const since = new Date(contact.createdAt)
  const date = since.toLocaleDateString(undefined, { day: 'numeric', month: 'short', year: 'numeric' })
  return (
    <div className="contact-head row row-3">
      <Avatar name={conversation.name} size="lg" />
      <div className="grow">
        <h2 className="h-section cut">
          <bdi>{shownName(conversation) || words.noName}</bdi>
        </h2>
        <span className="faint cut">{words.contactSince(date)}</span>
      </div>
      <Link
        to="/contacts/$contactId"
        params={{ contactId: contact.id }}
        className="icon-btn"
        aria-label={words.editContact}
        title={words.editContact}
      >
        <Pencil className="i" />
      </Link>
      <IconButton label={words.closeContact} className="pane-contact-close" onClick={onClose}>
        <X className="i" />
      </IconButton>
    </div>
  )
}

function Details({ detail }: { detail: ConversationDetail }) {
  const { phone, email, externalId, id } = detail.contact
  const theirId = isOnChannels(detail) ? null : externalId
  const short = `${id.slice(0, 12)}…${id.slice(-4)}`
  return (
    <div className="panel-sec first">
      <KeyValues
        lines={[
          [words.phone, phone && <CopyLine bare text={phone} shown={formatPhone(phone)} what={words.copyPhone} />],
          [words.email, email && <CopyLine bare text={email} what={words.copyEmail} />],
          [words.theirId, theirId && <CopyLine bare text={theirId} what={words.copyTheirId} />],
          [words.ourId, <CopyLine bare key="id" text={id} shown={short} what={words.copyOurId} />],
        ]}
      />
    </div>
  )
}

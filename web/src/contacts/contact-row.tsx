import type { ShownContact } from '@patchbay/contract/app/contacts.ts'
import { Link, useNavigate } from '@tanstack/react-router'
import Ellipsis from 'lucide-react/icons/ellipsis'
import { Avatar } from '../ui/avatar.tsx'
import { ChannelMark } from '../ui/channel.tsx'
import { formatPhone } from '../ui/format-phone.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { Menu } from '../ui/menu.tsx'
import type { MenuItem } from '../ui/menu-overlay.tsx'
import { Tag } from '../ui/tag.tsx'
import { Time } from '../ui/time.tsx'
import { ContactTags } from './contact-states.tsx'
import { eraseHash } from './erase-contact.tsx'
import { SelectCell } from './select-cells.tsx'
import type { Selection } from './selection.ts'
import { contactWords as words } from './words.ts'

type Props = { contact: ShownContact; selection: Selection; mayErase: boolean }

/** The cells of a contact in the table. */
export function ContactCells({ contact, selection, mayErase }: Props) {
  const { id, name, phone, email, channel, externalId, addresses, lists, lastAt } = contact
  const theirId = externalId ?? addresses[0]?.address
  return (
    <>
      <SelectCell id={id} name={name ?? phone ?? email ?? words.noName} selection={selection} />
      <th scope="row" className="contact-table-name">
        <Link to="/contacts/$contactId" params={{ contactId: id }} search={true} className="row row-3">
          <Avatar name={name} />
          <span className="cut">
            <span className="row">
              <bdi className="cut contact-table-who">{name ?? <span className="faint">{words.noName}</span>}</bdi>
              <ContactTags contact={contact} />
            </span>
            <span className="contact-table-sub mono cut">
              {[phone && formatPhone(phone), email].filter(Boolean).join(' · ') || theirId}
            </span>
          </span>
        </Link>
      </th>
      <td className="contact-table-phone mono">{phone ? formatPhone(phone) : <Nothing />}</td>
      <td className="contact-table-email cut">{email ?? <Nothing />}</td>
      <td className="contact-table-channel">
        {channel || theirId ? (
          <span className="channel">
            {channel && <ChannelMark channel={channel} />}
            <bdi className="mono cut">{theirId}</bdi>
          </span>
        ) : (
          <Nothing />
        )}
      </td>
      <td className="contact-table-lists">
        <ListTags lists={lists} />
      </td>
      <td className="contact-table-last faint">{lastAt ? <Time at={lastAt} /> : <Nothing />}</td>
      <td className="contact-table-more">
        <RowMenu contact={contact} name={name ?? phone ?? email ?? words.noName} mayErase={mayErase} />
      </td>
    </>
  )
}

function Nothing() {
  return <span className="faint">{words.none}</span>
}

/** The first list, and how many more. */
function ListTags({ lists }: { lists: ShownContact['lists'] }) {
  const [first, ...others] = lists
  if (!first) return null
  return (
    <span className="row">
      <Tag tone="line" className="cut">
        <bdi className="cut">{first.name}</bdi>
      </Tag>
      {others.length > 0 && (
        <Tag title={others.map(({ name }) => name).join(', ')}>
          +{others.length}
          <span className="sr"> {words.moreLists(others.map(({ name }) => name))}</span>
        </Tag>
      )}
    </span>
  )
}

function RowMenu({ contact, name, mayErase }: Omit<Props, 'selection'> & { name: string }) {
  const navigate = useNavigate()
  const params = { contactId: contact.id }
  const open = (hash?: string) => navigate({ to: '/contacts/$contactId', params, search: true, ...(hash && { hash }) })
  const items: MenuItem[] = [
    { label: words.edit, run: () => void open() },
    ...(contact.channel
      ? [{ label: words.openConversation, run: () => void navigate({ to: '/inbox/$contactId', params }) }]
      : []),
    ...(mayErase ? [{ label: words.eraseMenu, destroys: true, run: () => void open(eraseHash) }] : []),
  ]
  return (
    <Menu
      label={words.more(name)}
      items={items}
      trigger={(props) => (
        <IconButton {...props} label={words.more(name)} small>
          <Ellipsis className="i" />
        </IconButton>
      )}
    />
  )
}

import type { ShownContact } from '@patchbay/contract/app/contacts.ts'
import { useParams } from '@tanstack/react-router'
import { Loading, Skeleton } from '../ui/skeleton.tsx'
import { Table } from '../ui/table.tsx'
import { VirtualRows } from '../ui/virtual-rows.tsx'
import { contactWords as words } from '../words/contacts.ts'
import { ContactCells } from './contact-row.tsx'
import { SelectHead } from './select-cells.tsx'
import type { Selection } from './selection.ts'

const rowHeight = 43

type Props = { contacts: ShownContact[]; selection: Selection; onNearEnd: () => void }

export function ContactTable({ contacts, selection, onNearEnd }: Props) {
  const { contactId: openId } = useParams({ strict: false })
  return (
    <Table label={words.title} className="contact-table">
      <Head ids={contacts.map(({ id }) => id)} selection={selection} />
      <VirtualRows
        items={contacts}
        rowHeight={rowHeight}
        columns={Object.keys(words.columns).length + 1}
        says={words.keys}
        onNearEnd={onNearEnd}
      >
        {(contact) => ({
          isSelected: contact.id === openId || selection.has(contact.id),
          cells: <ContactCells contact={contact} selection={selection} />,
        })}
      </VirtualRows>
    </Table>
  )
}

function Head({ ids, selection }: { ids: string[]; selection: Selection }) {
  const { name, phone, email, channel, lists, lastHeard, actions } = words.columns
  return (
    <thead>
      <tr>
        <SelectHead ids={ids} selection={selection} />
        <th className="c-name">{name}</th>
        <th className="c-phone">{phone}</th>
        <th className="c-email">{email}</th>
        <th className="c-channel">{channel}</th>
        <th className="c-lists">{lists}</th>
        <th className="c-last">{lastHeard}</th>
        <th className="c-more">
          <span className="sr">{actions}</span>
        </th>
      </tr>
    </thead>
  )
}

/** Rows that are not there yet. */
export function ContactTableWaiting() {
  return (
    <Loading>
      <table className="table contact-table">
        <tbody>
          {Array.from({ length: 12 }, (_, n) => n).map((n) => (
            <tr key={n}>
              <td className="c-select" />
              <td className="c-name">
                <span className="row row-3">
                  <span className="avatar" />
                  <Skeleton width={90 + ((n * 37) % 60)} />
                </span>
              </td>
              <td className="c-phone">
                <Skeleton width={110} />
              </td>
              <td className="c-email">
                <Skeleton width={120 + ((n * 53) % 70)} />
              </td>
              <td className="c-last">
                <Skeleton width={40} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Loading>
  )
}

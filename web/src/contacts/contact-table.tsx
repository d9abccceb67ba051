import type { ShownContact } from '@patchbay/contract/app/contacts.ts'
import { useParams } from '@tanstack/react-router'
import { useMay } from '../data/use-may.ts'
import { Loading, Skeleton } from '../ui/skeleton.tsx'
import { SortHead } from '../ui/sort-head.tsx'
import { Table } from '../ui/table.tsx'
import { VirtualRows } from '../ui/virtual-rows.tsx'
import { ContactCells } from './contact-row.tsx'
import { SelectHead } from './select-cells.tsx'
import type { Selection } from './selection.ts'
import { contactWords as words } from './words.ts'

const rowHeight = 43

/** The order by name; undefined where they cannot be sorted: what a search finds, and a list. */
type ByName = { isOn: boolean; onChange: (isOn: boolean) => void } | undefined
type Props = { contacts: ShownContact[]; selection: Selection; byName: ByName; onNearEnd: () => void }

export function ContactTable({ contacts, selection, byName, onNearEnd }: Props) {
  const { contactId: openId } = useParams({ strict: false })
  const { ownAtHome } = useMay()
  return (
    <Table label={words.title} className="contact-table">
      <Head ids={contacts.map(({ id }) => id)} selection={selection} byName={byName} />
      <VirtualRows
        items={contacts}
        rowHeight={rowHeight}
        columns={Object.keys(words.columns).length + 1}
        says={words.keys}
        onNearEnd={onNearEnd}
      >
        {(contact) => ({
          isSelected: contact.id === openId || selection.has(contact.id),
          cells: <ContactCells contact={contact} selection={selection} mayErase={ownAtHome} />,
        })}
      </VirtualRows>
    </Table>
  )
}

function Head({ ids, selection, byName }: { ids: string[]; selection: Selection; byName: ByName }) {
  const { name, phone, email, channel, lists, lastHeard, actions } = words.columns
  return (
    <thead>
      <tr>
        <SelectHead ids={ids} selection={selection} />
        {byName ? (
          <SortHead label={name} className="contact-table-name" {...byName} />
        ) : (
          <th className="contact-table-name">{name}</th>
        )}
        <th className="contact-table-phone">{phone}</th>
        <th className="contact-table-email">{email}</th>
        <th className="contact-table-channel">{channel}</th>
        <th className="contact-table-lists">{lists}</th>
        <th className="contact-table-last">{lastHeard}</th>
        <th className="contact-table-more">
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
      <div className="table-frame">
        <table className="table stacks contact-table">
          <tbody>
            {Array.from({ length: 12 }, (_, n) => n).map((n) => (
              <tr key={n}>
                <td className="select-cell" />
                <td className="contact-table-name">
                  <span className="row row-3">
                    <span className="avatar" />
                    <Skeleton width={90 + ((n * 37) % 60)} />
                  </span>
                </td>
                <td className="contact-table-phone">
                  <Skeleton width={110} />
                </td>
                <td className="contact-table-email">
                  <Skeleton width={120 + ((n * 53) % 70)} />
                </td>
                <td className="contact-table-last">
                  <Skeleton width={40} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Loading>
  )
}

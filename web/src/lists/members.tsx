import type { ShownContact } from '@patchbay/contract/app/contacts.ts'
import type { ShownList } from '@patchbay/contract/app/lists.ts'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useDeferredValue, useState } from 'react'
import { useMembership } from '../contacts/contact-lists.tsx'
import { useContactPages } from '../contacts/contact-pages.ts'
import { ContactTags } from '../contacts/contact-states.tsx'
import { SelectCell, SelectHead } from '../contacts/select-cells.tsx'
import { type Selection, useSelection } from '../contacts/selection.ts'
import { SelectionBar } from '../contacts/selection-bar.tsx'
import { contactWords } from '../contacts/words.ts'
import { Button } from '../ui/button.tsx'
import { ChannelMark } from '../ui/channel.tsx'
import { Empty } from '../ui/empty.tsx'
import { ErrorState } from '../ui/error-state.tsx'
import { formatPhone } from '../ui/format-phone.ts'
import { SearchField } from '../ui/search-field.tsx'
import { Loading, Skeleton } from '../ui/skeleton.tsx'
import { Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { VirtualRows } from '../ui/virtual-rows.tsx'
import { AddMany } from './add-many.tsx'
import { listWords as words } from './words.ts'

const AddMember = lazy(() => import('./add-member.tsx').then(({ AddMember }) => ({ default: AddMember })))

const rowHeight = 43

/** Who is on a list, added last on top. */
export function Members({ list }: { list: ShownList }) {
  const [text, setText] = useState('')
  const q = useDeferredValue(text.trim())
  const pages = useContactPages({ q, listId: list.id })
  const { contacts, error, isPending } = pages
  const selection = useSelection(`${q} ${list.id}`, contacts)
  return (
    <section className="stack stack-3" aria-label={words.table(list.name)}>
      <div className="row wrap members-bar">
        {list.contacts > 0 && (
          <SearchField
            label={words.search}
            placeholder={words.searchHint(list.contacts)}
            value={text}
            onChange={setText}
          />
        )}
        <Suspense fallback={<span className="members-bar-add" />}>
          <AddMember list={list} />
        </Suspense>
        <AddMany listId={list.id} />
      </div>
      {(selection.isAll || selection.ids.size > 0) && (
        <div className="stays">
          <SelectionBar
            selection={selection}
            filter={{ q, listId: list.id }}
            total={pages.total}
            shown={contacts}
            hasNextPage={pages.hasNextPage}
            to={undefined}
          />
        </div>
      )}
      {error && contacts.length === 0 ? (
        <ErrorState error={error} retry={() => void pages.refetch()} />
      ) : isPending ? (
        <Waiting />
      ) : contacts.length === 0 ? (
        <NoMembers q={q} onClear={() => setText('')} />
      ) : (
        <MemberTable list={list} selection={selection} members={contacts} onNearEnd={pages.fetchNextPageIfAny} />
      )}
    </section>
  )
}

type TableProps = { list: ShownList; members: ShownContact[]; selection: Selection; onNearEnd: () => void }

function MemberTable({ list, members, selection, onNearEnd }: TableProps) {
  const { name, phone, email, added, actions } = words.columns
  return (
    <div className="card">
      <Table label={words.table(list.name)} inCard className="member-table">
        <thead>
          <tr>
            <SelectHead ids={members.map(({ id }) => id)} selection={selection} />
            <th className="member-table-name">{name}</th>
            <th className="member-table-phone">{phone}</th>
            <th className="member-table-email">{email}</th>
            <th className="member-table-added">{added}</th>
            <th className="member-table-remove">
              <span className="sr">{actions}</span>
            </th>
          </tr>
        </thead>
        <VirtualRows items={members} rowHeight={rowHeight} columns={6} says={words.keys} onNearEnd={onNearEnd}>
          {(member) => ({
            isSelected: selection.has(member.id),
            cells: <MemberCells list={list} member={member} selection={selection} />,
          })}
        </VirtualRows>
      </Table>
    </div>
  )
}

type CellsProps = { list: ShownList; member: ShownContact; selection: Selection }

function MemberCells({ list, member, selection }: CellsProps) {
  const { remove } = useMembership(member)
  const { name } = member
  const known = name ?? (member.phone && formatPhone(member.phone)) ?? member.email ?? contactWords.noName
  return (
    <>
      <SelectCell id={member.id} name={known} selection={selection} />
      <th scope="row" className="member-table-name">
        <span className="row row-3">
          {member.channel ? (
            <ChannelMark channel={member.channel} />
          ) : (
            <span className="channel-mark open" aria-hidden="true" />
          )}
          <Link to="/contacts/$contactId" params={{ contactId: member.id }} className="cut">
            <bdi>{name ?? <span className="faint">{contactWords.noName}</span>}</bdi>
          </Link>
          <ContactTags contact={member} />
        </span>
      </th>
      <td className="member-table-phone mono">{member.phone ? formatPhone(member.phone) : contactWords.none}</td>
      <td className="member-table-email cut">{member.email ?? contactWords.none}</td>
      <td className="member-table-added faint">{member.addedAt && <Time at={member.addedAt} as="clock" />}</td>
      <td className="member-table-remove">
        <Button
          look="quiet"
          size="sm"
          aria-label={words.removeName(known)}
          onClick={() => !remove.isPending && remove.mutate(list)}
        >
          {words.remove}
        </Button>
      </td>
    </>
  )
}

function NoMembers({ q, onClear }: { q: string; onClear: () => void }) {
  if (q === '') return <Empty card title={words.noMembers} says={words.noMembersSays} />
  return (
    <Empty card title={words.nobody(q)}>
      <Button onClick={onClear}>{words.clearSearch}</Button>
    </Empty>
  )
}

function Waiting() {
  return (
    <Loading>
      <div className="card card-body stack stack-4">
        {[160, 120, 190, 140].map((width) => (
          <Skeleton key={width} width={width} />
        ))}
      </div>
    </Loading>
  )
}

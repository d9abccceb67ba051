import './contacts.css'
import '../ui/surface.css'
import { getRouteApi, Outlet, useNavigate } from '@tanstack/react-router'
import Plus from 'lucide-react/icons/plus'
import { lazy, Suspense, useEffect, useState } from 'react'
import { useCommands } from '../commands/commands.ts'
import { keyWords } from '../commands/words.ts'
import { useMay } from '../data/use-may.ts'
import { Button } from '../ui/button.tsx'
import { classes } from '../ui/classes.ts'
import { ErrorState } from '../ui/error-state.tsx'
import { Kbd } from '../ui/kbd.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { useMedia } from '../ui/use-media.ts'
import { ChoosingFor } from './choosing-for.tsx'
import { useContactPages } from './contact-pages.ts'
import { ContactTable, ContactTableWaiting } from './contact-table.tsx'
import { ExportLink } from './export-link.tsx'
import { ImportButton } from './import/import-button.tsx'
import { ListFilter } from './list-filter.tsx'
import { NoContacts } from './no-contacts.tsx'
import { useSelection } from './selection.ts'
import { contactWords as words } from './words.ts'

const SelectionBar = lazy(() => import('./selection-bar.tsx').then(({ SelectionBar }) => ({ default: SelectionBar })))

const route = getRouteApi('/shell/contacts')

/** While somebody types, the search waits this long for the next letter. */
const typingMs = 200

/** All contacts, newest first or by name; the one that is open and the form for a new one are beside them. */
export function Contacts() {
  const { q, list, to, sort: wanted } = route.useSearch()
  const navigate = useNavigate()
  const isSortable = q === undefined && list === undefined
  const sort = isSortable ? wanted : undefined
  const pages = useContactPages({ q, listId: list, sort })
  const { contacts, total, error, isPending } = pages
  const selection = useSelection(`${q} ${list} ${sort}`, contacts)
  const hasSelected = selection.isAll || selection.ids.size > 0
  const isNarrow = useMedia('(width < 640px)') // there the search above it would take what is left of the screen
  const { manage } = useMay()
  const create = () => void navigate({ to: '/contacts/new', search: true })
  const sortByName = (isOn: boolean) => {
    const search = (before: object) => ({ ...before, sort: isOn ? 'name' : undefined })
    void navigate({ to: '.', search: search as never, replace: true })
  }
  const selectionBar = hasSelected && (
    <Suspense>
      <SelectionBar
        selection={selection}
        filter={{ q, listId: list }}
        total={total}
        shown={contacts}
        hasNextPage={pages.hasNextPage}
        to={to}
      />
    </Suspense>
  )
  useCommands([{ id: 'new contact', label: words.keys.create, keys: 'c', group: keyWords.thisPage, run: create }])
  return (
    <>
      <PageHead
        title={words.title}
        sub={total !== undefined && <span className="faint mono">{words.total(total)}</span>}
      >
        <div className="row end">
          <ExportLink q={q} listId={list} />
          {manage && <ImportButton />}
          <Button look="primary" aria-haspopup="dialog" onClick={create}>
            <Plus className="i" />
            {words.newContact}
            <Kbd press="c" />
          </Button>
        </div>
      </PageHead>
      <div className={classes('bar', hasSelected && !isNarrow && 'stays')}>
        <ContactSearch key={list} q={q ?? ''} />
        <ListFilter listId={list} />
        {!isNarrow && selectionBar}
      </div>
      {isNarrow && selectionBar && <div className="stays">{selectionBar}</div>}
      {to && <ChoosingFor listId={to} />}
      {error && contacts.length === 0 ? (
        <ErrorState error={error} retry={() => void pages.refetch()} />
      ) : isPending ? (
        <ContactTableWaiting />
      ) : contacts.length === 0 ? (
        <NoContacts q={q} listId={list} onCreate={create} />
      ) : (
        <ContactTable
          contacts={contacts}
          selection={selection}
          byName={isSortable ? { isOn: sort === 'name', onChange: sortByName } : undefined}
          onNearEnd={pages.fetchNextPageIfAny}
        />
      )}
      <Outlet />
    </>
  )
}

/** The search stands in the address, so that it is there after a look at a conversation. */
function ContactSearch({ q }: { q: string }) {
  const navigate = useNavigate()
  const [text, setText] = useState(q)
  useEffect(() => {
    if (text.trim() === q) return
    const timer = setTimeout(() => {
      const search = (before: { q?: string; list?: string }) => ({ ...before, q: text.trim() || undefined })
      void navigate({ to: '.', search: search as never, replace: true })
    }, typingMs)
    return () => clearTimeout(timer)
  }, [text, q, navigate])
  return (
    <SearchField
      className="contact-search"
      label={words.search}
      placeholder={words.searchHint}
      value={text}
      onChange={setText}
      maxLength={256}
    />
  )
}

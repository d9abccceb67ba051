import './contacts.css'
import '../ui/surface.css'
import { getRouteApi, Outlet, useNavigate } from '@tanstack/react-router'
import Plus from 'lucide-react/icons/plus'
import { lazy, Suspense, useEffect, useState } from 'react'
import { useKeys } from '../keys.ts'
import { Button } from '../ui/button.tsx'
import { ErrorState } from '../ui/error-state.tsx'
import { Kbd } from '../ui/kbd.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { contactWords as words } from '../words/contacts.ts'
import { keyWords } from '../words/keys.ts'
import { ChoosingFor } from './choosing-for.tsx'
import { useContactPages } from './contact-pages.ts'
import { ContactTable, ContactTableWaiting } from './contact-table.tsx'
import { ExportLink } from './export-link.tsx'
import { ImportButton } from './import/import-button.tsx'
import { ListFilter } from './list-filter.tsx'
import { NoContacts } from './no-contacts.tsx'
import { useSelection } from './selection.ts'

const SelectionBar = lazy(() => import('./selection-bar.tsx').then(({ SelectionBar }) => ({ default: SelectionBar })))

const route = getRouteApi('/shell/contacts')

/** While somebody types, the search waits this long for the next letter. */
const typingMs = 200

/** All contacts, newest first; the one that is open and the form for a new one are beside them. */
export function Contacts() {
  const { q, list, to } = route.useSearch()
  const navigate = useNavigate()
  const pages = useContactPages({ q, listId: list })
  const { contacts, total, error, isPending } = pages
  const selection = useSelection(`${q} ${list}`)
  const create = () => void navigate({ to: '/contacts/new', search: true })
  useKeys([{ press: 'c', does: words.keys.create, group: keyWords.thisPage, run: create }])
  return (
    <>
      <PageHead
        title={words.title}
        sub={total !== undefined && <span className="faint mono">{words.total(total)}</span>}
      >
        <div className="row end">
          <ExportLink q={q} listId={list} />
          <ImportButton />
          <Button look="primary" onClick={create}>
            <Plus className="i" />
            {words.newContact}
            <Kbd press="c" />
          </Button>
        </div>
      </PageHead>
      <div className="bar">
        <ContactSearch key={list} q={q ?? ''} />
        <ListFilter listId={list} />
        {(selection.isAll || selection.ids.size > 0) && (
          <Suspense>
            <SelectionBar
              selection={selection}
              filter={{ q, listId: list }}
              total={total}
              hasMore={pages.hasNextPage && contacts.every(({ id }) => selection.has(id))}
              to={to}
            />
          </Suspense>
        )}
      </div>
      {to && <ChoosingFor listId={to} />}
      {error && contacts.length === 0 ? (
        <ErrorState error={error} retry={() => void pages.refetch()} />
      ) : isPending ? (
        <ContactTableWaiting />
      ) : contacts.length === 0 ? (
        <NoContacts q={q} listId={list} onCreate={create} />
      ) : (
        <ContactTable contacts={contacts} selection={selection} onNearEnd={pages.fetchNextPageIfAny} />
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

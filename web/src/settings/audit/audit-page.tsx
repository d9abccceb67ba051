import './audit.css'
import type { AuditGroup } from '@patchbay/contract/app/audit.ts'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import Download from 'lucide-react/icons/download'
import { useDeferredValue, useState } from 'react'
import { read } from '../../data/queries.ts'
import { readPages } from '../../data/read-pages.ts'
import { shellWords } from '../../shell/words.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Pages } from '../../ui/pages.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { Seg } from '../../ui/seg.tsx'
import { WaitingLines } from '../../ui/waiting.tsx'
import { SettingsPage } from '../settings-page.tsx'
import { AuditTable } from './audit-table.tsx'
import { auditWords as words } from './words.ts'

type Group = AuditGroup | 'all'
type Filter = { group?: AuditGroup; q?: string }

/** Settings › Audit: who did what, newest first. */
export function AuditSettings() {
  const [group, setGroup] = useState<Group>('all')
  const [text, setText] = useState('')
  const q = useDeferredValue(text.trim())
  const kind = useQuery(read('GET /api/session')).data?.account.kind
  const groups = (Object.keys(words.groups) as Group[]).filter((one) => one !== 'credits' || kind !== 'standard')
  const filter: Filter = { ...(group !== 'all' && { group }), ...(q !== '' && { q }) }
  const clear = () => {
    setGroup('all')
    setText('')
  }
  return (
    <SettingsPage title={shellWords.audit} sub={words.says} head={<CsvLink filter={filter} />}>
      <div className="bar audit-bar">
        <SearchField label={words.search} placeholder={words.searchHint} value={text} onChange={setText} />
        <Seg
          label={words.filter}
          value={group}
          options={groups.map((value) => ({ value, label: words.groups[value] }))}
          onChange={setGroup}
        />
      </div>
      <Lines filter={filter} onClear={clear} />
    </SettingsPage>
  )
}

/** A download of the browser's own: the answer is a file. */
function CsvLink({ filter }: { filter: Filter }) {
  return (
    <a className={`${buttonClass('quiet')} end`} href={`/api/audit/csv?${new URLSearchParams(filter)}`} download>
      <Download className="i" />
      {words.csv}
    </a>
  )
}

function Lines({ filter, onClear }: { filter: Filter; onClear: () => void }) {
  const pages = useInfiniteQuery(readPages('GET /api/audit', { query: filter }))
  const events = pages.data?.pages.flatMap((page) => page.events) ?? []
  const isFiltered = Object.keys(filter).length > 0
  return (
    <Pages
      pages={pages}
      isEmpty={events.length === 0}
      waiting={<WaitingLines widths={[70, 64, 58, 66, 52, 60]} height={16} />}
      nothing={<Nothing isFiltered={isFiltered} onClear={onClear} />}
      wide
    >
      <AuditTable events={events} />
    </Pages>
  )
}

function Nothing({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  if (!isFiltered) return <Empty title={words.none} says={words.noneSays} />
  return (
    <Empty title={words.noneFound}>
      <Button onClick={onClear}>{words.showAll}</Button>
    </Empty>
  )
}

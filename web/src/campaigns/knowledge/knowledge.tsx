import './knowledge.css'
import type { ShownCampaign } from '@patchbay/contract/app/campaigns.ts'
import Plus from 'lucide-react/icons/plus'
import { lazy, Suspense, useEffect, useState } from 'react'
import { useCommands } from '../../commands/commands.ts'
import { keyWords } from '../../commands/words.ts'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { Pages } from '../../ui/pages.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { WaitingBlock } from '../../ui/waiting.tsx'
import { campaignWords, entryWords as words } from '../words.ts'
import { Entry } from './entry.tsx'
import { FileMenu } from './file-menu.tsx'
import { NewEntry } from './new-entry.tsx'
import { useEntries } from './use-entries.ts'

const ImportSheet = lazy(() => import('./import-sheet.tsx').then((file) => ({ default: file.ImportSheet })))

type Props = {
  campaign: ShownCampaign
  /** A question that somebody wants to make an entry of. */
  proposed: string | undefined
  onProposedDone: () => void
}

/** The entries, newest first; one that is opened is edited in its place. */
export function Knowledge({ campaign, proposed, onProposedDone }: Props) {
  const [search, setSearch] = useState('')
  const [isAdding, setAdding] = useState(proposed !== undefined)
  const [isImporting, setImporting] = useState(false)
  const entries = useEntries(campaign.id, search)
  useEffect(() => {
    if (proposed !== undefined) setAdding(true)
  }, [proposed])
  const add = () => setAdding(true)
  useCommands([{ id: 'new entry', label: campaignWords.keys.newEntry, keys: 'n', group: keyWords.thisPage, run: add }])
  const done = () => {
    setAdding(false)
    onProposedDone()
  }
  return (
    <>
      <div className="bar">
        <SearchField
          label={words.search}
          placeholder={words.searchHint(campaign.entries)}
          value={search}
          onChange={setSearch}
        />
        <div className="row end">
          <FileMenu campaignId={campaign.id} onImport={() => setImporting(true)} />
          <Button look="primary" onClick={add}>
            <Plus className="i" />
            {words.newEntry} <Kbd press="n" className="only-wide" />
          </Button>
        </div>
      </div>
      {isAdding && <NewEntry key={proposed} campaignId={campaign.id} question={proposed ?? ''} onDone={done} />}
      <List entries={entries} campaign={campaign} search={search} onAdd={add} />
      {isImporting && (
        <Suspense>
          <ImportSheet campaignId={campaign.id} onClose={() => setImporting(false)} />
        </Suspense>
      )}
    </>
  )
}

type ListProps = { entries: ReturnType<typeof useEntries>; campaign: ShownCampaign; search: string; onAdd: () => void }

function List({ entries, campaign, search, onAdd }: ListProps) {
  const [open, setOpen] = useState<string>()
  const all = entries.data?.pages.flatMap((page) => page.entries) ?? []
  return (
    <Pages
      pages={entries}
      isEmpty={all.length === 0}
      waiting={<WaitingBlock height={132} />}
      nothing={<Nothing search={search.trim()} onAdd={onAdd} />}
      more={words.more}
      wide
    >
      <ul className="entries" aria-label={words.list}>
        {all.map((entry) => (
          <Entry
            key={entry.id}
            campaign={campaign}
            entry={entry}
            isOpen={entry.id === open}
            onOpen={(isOpen) => setOpen(isOpen ? entry.id : undefined)}
          />
        ))}
      </ul>
    </Pages>
  )
}

function Nothing({ search, onAdd }: { search: string; onAdd: () => void }) {
  if (search !== '') return <Empty title={words.none(search)} />
  return (
    <Empty title={words.empty} says={words.emptySays} art>
      <Button onClick={onAdd}>{words.newEntry}</Button>
    </Empty>
  )
}

import './campaigns.css'
import '../ui/surface.css'
import type { CampaignSummary } from '@patchbay/contract/app/campaigns.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import Plus from 'lucide-react/icons/plus'
import { useState } from 'react'
import { useCommands } from '../commands/commands.ts'
import { keyWords } from '../commands/words.ts'
import { read } from '../data/queries.ts'
import { useRefresh } from '../data/use-refresh.ts'
import { Button } from '../ui/button.tsx'
import { CopyLine } from '../ui/copy-line.tsx'
import { Empty } from '../ui/empty.tsx'
import { ErrorState } from '../ui/error-state.tsx'
import { Kbd } from '../ui/kbd.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { Table } from '../ui/table.tsx'
import { WaitingBlock } from '../ui/waiting.tsx'
import { NewCampaign } from './new-campaign.tsx'
import { StatusTags, shortId } from './status-tags.tsx'
import { campaignWords as words } from './words.ts'

/** All campaigns, the archived ones folded away. */
export function Campaigns() {
  const campaigns = useQuery(read('GET /api/campaigns'))
  const [isMaking, setMaking] = useState(false)
  const make = () => setMaking(true)
  useRefresh(['campaigns'], ['GET /api/campaigns'])
  useCommands([{ id: 'new campaign', label: words.newCampaign, keys: 'n', group: keyWords.thisPage, run: make }])
  return (
    <>
      <PageHead title={words.title} sub={words.sub}>
        <div className="row end">
          <Button look="primary" onClick={make}>
            <Plus className="i" />
            {words.newCampaign} <Kbd press="n" className="only-wide" />
          </Button>
        </div>
      </PageHead>
      <div className="page">
        {isMaking && <NewCampaign onDone={() => setMaking(false)} />}
        {campaigns.data ? (
          <All campaigns={campaigns.data.campaigns} onMake={make} />
        ) : campaigns.error ? (
          <ErrorState error={campaigns.error} retry={() => void campaigns.refetch()} />
        ) : (
          <WaitingBlock height={120} />
        )}
      </div>
    </>
  )
}

/** From so many on, campaigns are searched rather than looked through. */
const searchedFrom = 8

function All({ campaigns, onMake }: { campaigns: readonly CampaignSummary[]; onMake: () => void }) {
  const [text, setText] = useState('')
  const sought = text.trim().toLocaleLowerCase()
  const found = campaigns.filter(({ id, name }) => id === sought || name.toLocaleLowerCase().includes(sought))
  const archived = found.filter(({ status }) => status === 'archived')
  const others = found.filter(({ status }) => status !== 'archived')
  if (campaigns.length === 0) {
    return (
      <Empty title={words.empty} says={words.emptySays} art>
        <Button onClick={onMake}>{words.newCampaign}</Button>
      </Empty>
    )
  }
  return (
    <>
      {campaigns.length >= searchedFrom && (
        <SearchField
          className="campaign-search"
          label={words.search}
          placeholder={words.searchHint}
          value={text}
          onChange={setText}
        />
      )}
      {found.length === 0 && <Empty title={words.noneFound(text.trim())} />}
      {others.length > 0 && <CampaignTable campaigns={others} label={words.table} />}
      {archived.length > 0 && (
        <details open={sought !== ''}>
          <summary className="archived-ones">{words.archivedOnes(archived.length)}</summary>
          <CampaignTable campaigns={archived} label={words.archivedOnes(archived.length)} />
        </details>
      )}
    </>
  )
}

function CampaignTable({ campaigns, label }: { campaigns: readonly CampaignSummary[]; label: string }) {
  const { columns } = words
  return (
    <div className="card">
      <Table label={label} inCard className="campaign-table">
        <thead>
          <tr>
            <th scope="col">{columns.name}</th>
            <th scope="col">{columns.state}</th>
            <th scope="col" className="num">
              {columns.entries}
            </th>
            <th scope="col" className="num">
              {columns.unanswered}
            </th>
            <th scope="col" className="campaign-table-id">
              {columns.id}
            </th>
          </tr>
        </thead>
        <tbody>
          {campaigns.map((campaign) => (
            <Row key={campaign.id} campaign={campaign} />
          ))}
        </tbody>
      </Table>
    </div>
  )
}

function Row({ campaign }: { campaign: CampaignSummary }) {
  return (
    <tr>
      <th scope="row" className="campaign-table-name">
        <Link to="/campaigns/$campaignId" params={{ campaignId: campaign.id }}>
          <bdi>{campaign.name}</bdi>
        </Link>
        {campaign.trouble && <p className="small fail">{words.trouble(campaign.trouble)}</p>}
      </th>
      <td>
        <span className="row wrap">
          <StatusTags campaign={campaign} />
        </span>
      </td>
      <td className="num" data-label={words.columns.entries}>
        {campaign.entries}
      </td>
      <td className="num" data-label={words.columns.unanswered}>
        {campaign.unanswered}
      </td>
      <td className="campaign-table-id">
        <CopyLine text={campaign.id} shown={shortId(campaign.id)} what={words.copyId} bare />
      </td>
    </tr>
  )
}

import type { CampaignChange, ShownCampaign } from '@patchbay/contract/app/campaigns.ts'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import Ellipsis from 'lucide-react/icons/ellipsis'
import MessageCircleQuestionMark from 'lucide-react/icons/message-circle-question-mark'
import Pause from 'lucide-react/icons/pause'
import Play from 'lucide-react/icons/play'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import { useState } from 'react'
import { Button } from '../ui/button.tsx'
import { CopyLine } from '../ui/copy-line.tsx'
import { sayError } from '../ui/error-state.tsx'
import { Menu } from '../ui/menu.tsx'
import { Note } from '../ui/note.tsx'
import { showToast } from '../ui/toast.ts'
import { RenameCampaign } from './rename-campaign.tsx'
import { StatusTags, shortId } from './status-tags.tsx'
import { showTestChat } from './test-chat/show-test-chat.ts'
import { changeCampaign } from './use-campaign.ts'
import { testChatWords, campaignWords as words } from './words.ts'

/** The head of a campaign: its name and state, the ID to copy, and what is done with the whole of it. */
export function CampaignHead({ campaign }: { campaign: ShownCampaign }) {
  const { status, version } = campaign
  const [isRenaming, setRenaming] = useState(false)
  const change = useMutation({ mutationFn: (body: CampaignChange) => changeCampaign(campaign.id, body) })
  const set = (fields: { status?: ShownCampaign['status']; isDefault?: true }, said: string) =>
    change.mutate({ version, ...fields }, { onSuccess: () => showToast({ text: said }) })
  const next = status === 'live' ? 'paused' : 'live'
  return (
    <>
      <header className="page-head campaign-head">
        <div className="stack campaign-name">
          <span className="crumb">
            <Link to="/campaigns">{words.title}</Link> /
          </span>
          {isRenaming ? (
            <RenameCampaign campaign={campaign} onDone={() => setRenaming(false)} />
          ) : (
            <div className="row wrap">
              <h1 className="h-page cut">
                <bdi>{campaign.name}</bdi>
              </h1>
              <StatusTags campaign={campaign} />
            </div>
          )}
        </div>
        <div className="row end wrap">
          <Button className="campaign-test" onClick={showTestChat}>
            <MessageCircleQuestionMark className="i" />
            {testChatWords.jump}
          </Button>
          <CopyLine text={campaign.id} shown={shortId(campaign.id)} what={words.copyId} />
          {status !== 'archived' && (
            <Button
              look={status === 'live' ? 'outline' : 'primary'}
              onClick={() => set({ status: next }, words.said[next])}
            >
              {status === 'live' ? <Pause className="i" /> : <Play className="i" />}
              {status === 'live' ? words.pause : words.makeLive}
            </Button>
          )}
          <More campaign={campaign} set={set} onRename={() => setRenaming(true)} />
        </div>
      </header>
      <State campaign={campaign} error={change.error} />
    </>
  )
}

type Set = (fields: { status?: ShownCampaign['status']; isDefault?: true }, said: string) => void

function More({ campaign, set, onRename }: { campaign: ShownCampaign; set: Set; onRename: () => void }) {
  const { status, isDefault } = campaign
  const archived = { label: words.restore, run: () => set({ status: 'draft' }, words.said.draft) }
  const archive = {
    label: words.archive,
    disabled: isDefault,
    run: () => set({ status: 'archived' }, words.said.archived),
  }
  const items = [
    { label: words.rename, run: onRename },
    {
      label: words.makeDefault,
      disabled: isDefault || status === 'archived',
      run: () => set({ isDefault: true }, words.said.isDefault),
    },
    status === 'archived' ? archived : archive,
  ]
  return (
    <Menu
      label={words.more}
      items={items}
      trigger={(props) => (
        <button type="button" className="icon-btn" aria-label={words.more} title={words.more} {...props}>
          <Ellipsis className="i" />
        </button>
      )}
    />
  )
}

function State({ campaign, error }: { campaign: ShownCampaign; error: Error | null }) {
  const { status, trouble } = campaign
  if (!error && !trouble && status === 'live') return null
  return (
    <div className="campaign-state stack">
      {error && (
        <Note tone="fail" icon={TriangleAlert} role="alert">
          {sayError(error).title} {sayError(error).hint}
        </Note>
      )}
      {trouble && (
        <Note tone="fail" icon={TriangleAlert}>
          {words.trouble(trouble)}
        </Note>
      )}
      {status !== 'live' && <Note tone="wait">{words.notLive[status]}</Note>}
    </div>
  )
}

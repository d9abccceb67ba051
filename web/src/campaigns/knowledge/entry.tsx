import type { ShownCampaign } from '@patchbay/contract/app/campaigns.ts'
import type { ListedEntry } from '@patchbay/contract/app/knowledge.ts'
import { useMutation } from '@tanstack/react-query'
import ChevronDown from 'lucide-react/icons/chevron-down'
import ChevronRight from 'lucide-react/icons/chevron-right'
import Hand from 'lucide-react/icons/hand'
import { call } from '../../data/api.ts'
import { classes } from '../../ui/classes.ts'
import { sayError } from '../../ui/error-state.tsx'
import { Switch } from '../../ui/switch.tsx'
import { Tag } from '../../ui/tag.tsx'
import { showToast } from '../../ui/toast.ts'
import { refreshKnowledge } from '../knowledge-changes.ts'
import { entryWords as words } from '../words.ts'
import { EditEntry } from './edit-entry.tsx'

type Props = { campaign: ShownCampaign; entry: ListedEntry; isOpen: boolean; onOpen: (isOpen: boolean) => void }

/** An entry: one line, and the form under it while it is open. */
export function Entry({ campaign, entry, isOpen, onOpen }: Props) {
  const [question = ''] = entry.questions
  const Chevron = isOpen ? ChevronDown : ChevronRight
  return (
    <li className={classes('entry', isOpen && 'open')}>
      <div className="entry-row">
        <Chevron className="i" />
        <button type="button" className="grow cut entry-q" aria-expanded={isOpen} onClick={() => onOpen(!isOpen)}>
          <bdi>{question}</bdi>
        </button>
        {entry.handsOver && (
          <Tag tone="line">
            <Hand className="i" />
            {words.handsOver}
          </Tag>
        )}
        <span className="small faint only-wide entry-n">{words.phrasings(entry.questions.length)}</span>
        <span className="small faint only-wide entry-usage" title={words.usesSay(entry.uses)}>
          {entry.uses === 0 ? words.notUsed : words.uses(entry.uses)}
        </span>
        <OnOff campaignId={campaign.id} entry={entry} />
      </div>
      {isOpen && <EditEntry campaign={campaign} entry={entry} onDone={() => onOpen(false)} />}
    </li>
  )
}

function OnOff({ campaignId, entry }: { campaignId: string; entry: ListedEntry }) {
  const toggle = useMutation({
    mutationFn: (isOn: boolean) => {
      const { id, uses: _, ...fields } = entry
      return call('PUT /api/campaigns/:campaignId/entries/:entryId', {
        params: { campaignId, entryId: id },
        body: { ...fields, isOn },
      })
    },
    onSuccess: ({ isOn }) => showToast({ text: isOn ? words.on : words.off }),
    onError: (error) => showToast({ text: sayError(error).title }),
    onSettled: refreshKnowledge,
  })
  const isOn = toggle.isPending ? toggle.variables : entry.isOn
  return (
    <Switch on={isOn} onChange={(next) => toggle.mutate(next)} disabled={toggle.isPending}>
      <span className="sr">{words.isOn(entry.questions[0] ?? '')}</span>
    </Switch>
  )
}

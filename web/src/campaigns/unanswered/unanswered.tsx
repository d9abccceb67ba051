import './unanswered.css'
import type { ShownCampaign } from '@patchbay/contract/app/campaigns.ts'
import type { UnansweredGroup } from '@patchbay/contract/app/knowledge.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../../data/api.ts'
import { Button } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { Empty } from '../../ui/empty.tsx'
import { ErrorState, sayError } from '../../ui/error-state.tsx'
import { Meter } from '../../ui/meter.tsx'
import { Time } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.ts'
import { WaitingBlock } from '../../ui/waiting.tsx'
import { refreshKnowledge, unansweredOf } from '../knowledge-changes.ts'
import { unansweredWords as words } from '../words.ts'
import { MakeEntry } from './make-entry.tsx'

/** What the bot could not answer, in groups of the same meaning, the most frequent first. */
export function Unanswered({ campaign }: { campaign: ShownCampaign }) {
  const unanswered = useQuery(unansweredOf(campaign.id))
  const [open, setOpen] = useState<string>()
  if (!unanswered.data) {
    if (unanswered.error) return <ErrorState error={unanswered.error} retry={() => void unanswered.refetch()} />
    return <WaitingBlock height={132} />
  }
  const { asked, groups } = unanswered.data
  if (groups.length === 0) return <Empty title={words.empty} says={words.emptySays} art />
  return (
    <>
      <div className="bar">
        <p className="muted">{words.says(asked, groups.length)}</p>
      </div>
      <ul className="groups" aria-label={words.list}>
        {groups.map((group) => (
          <Group
            key={group.id}
            campaign={campaign}
            group={group}
            isOpen={open === group.id}
            onOpen={(isOpen) => setOpen(isOpen ? group.id : undefined)}
          />
        ))}
      </ul>
    </>
  )
}

type GroupProps = {
  campaign: ShownCampaign
  group: UnansweredGroup
  isOpen: boolean
  onOpen: (isOpen: boolean) => void
}

function Group({ campaign, group, isOpen, onOpen }: GroupProps) {
  const [first = { question: '' }, ...others] = group.questions
  return (
    <li className={classes('group-row', isOpen && 'open')}>
      <span className="group-row-times" title={words.times(group.times)}>
        <span aria-hidden="true">
          {group.times}
          <span className="small faint"> ×</span>
        </span>
        <span className="sr">{words.times(group.times)}</span>
      </span>
      <div className="stack group-row-what">
        <b className="strong">
          <bdi>{first.question}</bdi>
        </b>
        <span className="small muted">
          {others.length === 0
            ? words.sameWords
            : `${words.also} ${others.map(({ question }) => `“${question}”`).join(', ')}`}
        </span>
        <span className="row wrap small faint group-row-near">
          <span>
            {words.last} <Time at={group.lastAt} />
            {group.nearest !== null && ` · ${words.nearest}`}
          </span>
          {group.nearest !== null && <Nearest score={group.nearest} settings={campaign.settings} />}
        </span>
        <Askers group={group} />
        {isOpen && <MakeEntry campaignId={campaign.id} group={group} onDone={() => onOpen(false)} />}
      </div>
      {!isOpen && (
        <div className="row group-row-acts">
          <Button size="sm" aria-label={words.makeOf(first.question)} onClick={() => onOpen(true)}>
            {words.make}
          </Button>
          <Dismiss campaignId={campaign.id} group={group} question={first.question} />
        </div>
      )}
    </li>
  )
}

/** Whoever asked can be written to: each name leads to their conversation. */
function Askers({ group: { askers, askedBy } }: { group: UnansweredGroup }) {
  if (askers.length === 0) return null
  return (
    <span className="row wrap small group-row-askers">
      <span className="faint">{words.askedBy}</span>
      {askers.map((asker) => {
        const name = asker.name ?? asker.fromId ?? words.nobody
        return (
          <Link
            key={asker.contactId}
            to="/inbox/$contactId"
            params={{ contactId: asker.contactId }}
            aria-label={words.openOf(name)}
          >
            <bdi>{name}</bdi>
          </Link>
        )
      })}
      {askedBy > askers.length && <span className="faint">{words.moreAskers(askedBy - askers.length)}</span>}
    </span>
  )
}

function Nearest({ score, settings }: { score: number; settings: ShownCampaign['settings'] }) {
  return (
    <>
      <span className="group-row-meter">
        <Meter score={score} offer={settings.offerThreshold} answer={settings.answerThreshold} />
      </span>
      <span className="mono">{score.toFixed(2)}</span>
    </>
  )
}

type DismissProps = { campaignId: string; group: UnansweredGroup; question: string }

function Dismiss({ campaignId, group, question }: DismissProps) {
  const dismiss = useMutation({
    mutationFn: () =>
      call('DELETE /api/campaigns/:campaignId/unanswered/:groupId', { params: { campaignId, groupId: group.id } }),
    onSuccess: () => showToast({ text: words.dismissed }),
    onError: (error) => showToast({ text: sayError(error).title }),
    onSettled: refreshKnowledge,
  })
  return (
    <Button
      size="sm"
      look="quiet"
      aria-label={words.dismissOf(question)}
      disabled={dismiss.isPending}
      onClick={() => dismiss.mutate()}
    >
      {words.dismiss}
    </Button>
  )
}

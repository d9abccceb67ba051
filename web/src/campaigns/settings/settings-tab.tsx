import '../../ui/note.css'
import '../../ui/check.css'
import '../../ui/tag.css'
import type { ShownCampaign } from '@patchbay/contract/app/campaigns.ts'
import { useEffect } from 'react'
import { Section } from '../../ui/section.tsx'
import type { Trial } from '../test-chat/use-test-chat.ts'
import { Channels } from './channels.tsx'
import { DraftForm } from './draft-form.tsx'
import { Engine } from './engine.tsx'
import { Keywords } from './keywords.tsx'
import { FlagSetting, NumberField, TextSetting } from './setting-field.tsx'
import { Thresholds } from './thresholds.tsx'
import { type SettingsDraft, useDraft } from './use-draft.ts'
import { settingWords as words } from './words.ts'

type Props = { campaign: ShownCampaign; onTrial: (trial: Trial) => void }

/** How the campaign answers: the few settings that matter first, the rest folded away. */
export function SettingsTab({ campaign, onTrial }: Props) {
  const draft = useDraft(campaign)
  const { answerThreshold, offerThreshold, margin } = draft.settings
  useEffect(() => {
    onTrial(Number.isNaN(margin) ? {} : { answerThreshold, offerThreshold, margin })
    return () => onTrial({})
  }, [answerThreshold, offerThreshold, margin, onTrial])
  return (
    <DraftForm draft={draft}>
      <Section title={words.sure} says={words.sureSays}>
        <Thresholds draft={draft} />
        <div className="row wrap numbers">
          <NumberField draft={draft} name="margin" />
          <NumberField draft={draft} name="maxMisses" />
        </div>
      </Section>
      <Section title={words.messages} says={words.messagesSays}>
        <Keywords draft={draft} />
        <Channels campaign={campaign} draft={draft} />
      </Section>
      <Section title={words.who} says={words.whoSays}>
        <Engine draft={draft} />
      </Section>
      <Section title={words.when}>
        <div className="row wrap numbers">
          <NumberField draft={draft} name="quietSeconds" unit={words.unit.s} />
          <NumberField draft={draft} name="maxWaitSeconds" unit={words.unit.s} />
          <NumberField draft={draft} name="autoResumeMinutes" per={60} unit={words.unit.h} none={words.never} />
        </div>
      </Section>
      {campaign.price !== 'none' && <Price campaign={campaign} draft={draft} />}
      <More draft={draft} />
    </DraftForm>
  )
}

function Price({ campaign, draft }: { campaign: ShownCampaign; draft: SettingsDraft }) {
  return (
    <Section title={words.price}>
      {campaign.price === 'own' ? (
        <NumberField draft={draft} name="creditsPerReply" />
      ) : (
        <p>
          <b className="mono">{campaign.settings.creditsPerReply}</b>{' '}
          <span className="muted">{words.priceByAgency}</span>
        </p>
      )}
    </Section>
  )
}

function More({ draft }: { draft: SettingsDraft }) {
  const hasModel = draft.settings.engine !== 'builtin'
  return (
    <details className="more-settings">
      <summary className="label">{words.more}</summary>
      <Section title={words.names}>
        <TextSetting draft={draft} name="businessName" isNullable />
        <TextSetting draft={draft} name="language" hint={words.languageHint} />
        <NumberField draft={draft} name="priority" />
        <FlagSetting draft={draft} name="keywordsTakeOver" />
      </Section>
      <Section title={words.limits}>
        <div className="row wrap numbers">
          <NumberField draft={draft} name="staleAfterSeconds" unit={words.unit.s} />
          <NumberField draft={draft} name="maxRepliesPerConversationPerDay" />
          <NumberField draft={draft} name="maxRepliesPerDay" none={words.noLimit} />
        </div>
      </Section>
      {hasModel && <ModelSettings draft={draft} />}
    </details>
  )
}

function ModelSettings({ draft }: { draft: SettingsDraft }) {
  return (
    <Section title={words.modelGroup}>
      <TextSetting draft={draft} name="model" isNullable />
      <TextSetting draft={draft} name="instructions" rows={4} />
      <FlagSetting draft={draft} name="strict" />
      <div className="row wrap numbers">
        <NumberField draft={draft} name="temperature" />
        <NumberField draft={draft} name="maxOutputTokens" />
        <NumberField draft={draft} name="replyTimeoutSeconds" unit={words.unit.s} />
        <NumberField draft={draft} name="historyMessages" />
        <NumberField draft={draft} name="historyMaxAgeHours" unit={words.unit.h} />
        <NumberField draft={draft} name="historyMaxChars" />
      </div>
    </Section>
  )
}

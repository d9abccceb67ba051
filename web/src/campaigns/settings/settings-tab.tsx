import '../../ui/note.css'
import '../../ui/check.css'
import '../../ui/tag.css'
import type { ShownCampaign } from '@patchbay/contract/app/campaigns.ts'
import { useEffect } from 'react'
import { Section } from '../../ui/section.tsx'
import type { Trial } from '../test-chat/use-test-chat.ts'
import { Channels } from './channels.tsx'
import { Engine } from './engine.tsx'
import { Keywords } from './keywords.tsx'
import { FlagSetting, NumberField, TextSetting } from './setting-field.tsx'
import { SettingsForm } from './settings-form.tsx'
import { Thresholds } from './thresholds.tsx'
import { type SettingsForm as Form, useSettingsForm } from './use-settings-form.ts'
import { settingWords as words } from './words.ts'

type Props = { campaign: ShownCampaign; onTrial: (trial: Trial) => void }

/** How the campaign answers: the few settings that matter first, the rest folded away. */
export function SettingsTab({ campaign, onTrial }: Props) {
  const form = useSettingsForm(campaign)
  const { answerThreshold, offerThreshold, margin } = form.values
  useEffect(() => {
    onTrial(Number.isNaN(margin) ? {} : { answerThreshold, offerThreshold, margin })
    return () => onTrial({})
  }, [answerThreshold, offerThreshold, margin, onTrial])
  return (
    <SettingsForm campaign={campaign} form={form}>
      <Section title={words.sure} says={words.sureSays}>
        <Thresholds form={form} />
        <div className="row wrap settings-form-numbers">
          <NumberField form={form} name="margin" />
          <NumberField form={form} name="maxMisses" />
        </div>
      </Section>
      <Section title={words.messages} says={words.messagesSays}>
        <Keywords form={form} />
        <Channels campaign={campaign} form={form} />
      </Section>
      <Section title={words.who} says={words.whoSays}>
        <Engine form={form} />
      </Section>
      <Section title={words.when}>
        <div className="row wrap settings-form-numbers">
          <NumberField form={form} name="quietSeconds" unit={words.unit.s} />
          <NumberField form={form} name="maxWaitSeconds" unit={words.unit.s} />
          <NumberField form={form} name="autoResumeMinutes" per={60} unit={words.unit.h} none={words.never} />
        </div>
      </Section>
      {campaign.price !== 'none' && <Price campaign={campaign} form={form} />}
      <More form={form} />
    </SettingsForm>
  )
}

function Price({ campaign, form }: { campaign: ShownCampaign; form: Form }) {
  return (
    <Section title={words.price}>
      {campaign.price === 'own' ? (
        <NumberField form={form} name="creditsPerReply" />
      ) : (
        <p>
          <b className="mono">{campaign.settings.creditsPerReply}</b>{' '}
          <span className="muted">{words.priceByAgency}</span>
        </p>
      )}
    </Section>
  )
}

function More({ form }: { form: Form }) {
  const hasModel = form.values.engine !== 'builtin'
  return (
    <details className="settings-form-more">
      <summary className="label">{words.more}</summary>
      <Section title={words.names}>
        <TextSetting form={form} name="businessName" isNullable />
        <TextSetting form={form} name="language" hint={words.languageHint} />
        <NumberField form={form} name="priority" />
        <FlagSetting form={form} name="keywordsTakeOver" />
      </Section>
      <Section title={words.limits}>
        <div className="row wrap settings-form-numbers">
          <NumberField form={form} name="staleAfterSeconds" unit={words.unit.s} />
          <NumberField form={form} name="maxRepliesPerConversationPerDay" />
          <NumberField form={form} name="maxRepliesPerDay" none={words.noLimit} />
        </div>
      </Section>
      {hasModel && <ModelSettings form={form} />}
    </details>
  )
}

function ModelSettings({ form }: { form: Form }) {
  return (
    <Section title={words.modelGroup}>
      <TextSetting form={form} name="model" isNullable />
      <TextSetting form={form} name="instructions" rows={4} />
      <FlagSetting form={form} name="strict" />
      <div className="row wrap settings-form-numbers">
        <NumberField form={form} name="temperature" />
        <NumberField form={form} name="maxOutputTokens" />
        <NumberField form={form} name="replyTimeoutSeconds" unit={words.unit.s} />
        <NumberField form={form} name="historyMessages" />
        <NumberField form={form} name="historyMaxAgeHours" unit={words.unit.h} />
        <NumberField form={form} name="historyMaxChars" />
      </div>
    </Section>
  )
}

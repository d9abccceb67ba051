import '../../ui/note.css'
import type { ShownCampaign } from '@patchbay/contract/app/campaigns.ts'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import { PhrasesSetting, TextSetting } from './setting-field.tsx'
import { SettingsForm } from './settings-form.tsx'
import { type SettingsForm as Form, useSettingsForm } from './use-settings-form.ts'
import { settingWords as words } from './words.ts'

const texts = ['greetingText', 'thanksText', 'fallbackText', 'handoverText', 'noCreditText'] as const

/** What the bot says besides its entries. */
export function TextsTab({ campaign }: { campaign: ShownCampaign }) {
  const form = useSettingsForm(campaign)
  return (
    <SettingsForm campaign={campaign} form={form}>
      <div className="stack stack-4">
        <p className="muted">{words.texts}</p>
        <Introduction form={form} />
        {texts.map((name) => (
          <TextSetting
            key={name}
            form={form}
            name={name}
            rows={2}
            isNullable
            {...(name === 'fallbackText' && { hint: words.misses(form.values.maxMisses) })}
          />
        ))}
        <PhrasesSetting form={form} name="personPhrases" />
        <PhrasesSetting form={form} name="stopPhrases" />
      </div>
    </SettingsForm>
  )
}

/** It may be left out, and whoever does that is told what follows. */
function Introduction({ form }: { form: Form }) {
  return (
    <div className="stack">
      <TextSetting form={form} name="introduction" rows={2} isNullable hint={words.introductionSays} />
      {form.values.introduction === null && (
        <div className="note wait-bg" role="status">
          <TriangleAlert className="i" aria-hidden="true" />
          <div>
            <b className="strong">{words.introductionNone}</b>{' '}
            <span className="muted">{words.introductionNoneSays}</span>
          </div>
        </div>
      )}
    </div>
  )
}

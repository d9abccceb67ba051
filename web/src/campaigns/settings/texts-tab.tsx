import type { ShownCampaign } from '@patchbay/contract/app/campaigns.ts'
import { PhrasesSetting, TextSetting } from './setting-field.tsx'
import { SettingsForm } from './settings-form.tsx'
import { useSettingsForm } from './use-settings-form.ts'
import { settingWords as words } from './words.ts'

const texts = ['greetingText', 'thanksText', 'fallbackText', 'handoverText', 'noCreditText'] as const

/** What the bot says besides its entries. */
export function TextsTab({ campaign }: { campaign: ShownCampaign }) {
  const form = useSettingsForm(campaign)
  return (
    <SettingsForm campaign={campaign} form={form}>
      <div className="stack stack-4">
        <p className="muted">{words.texts}</p>
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

import type { ShownCampaign } from '@patchbay/contract/app/campaigns.ts'
import { DraftForm } from './draft-form.tsx'
import { PhrasesSetting, TextSetting } from './setting-field.tsx'
import { useDraft } from './use-draft.ts'
import { settingWords as words } from './words.ts'

const texts = ['greetingText', 'thanksText', 'fallbackText', 'handoverText', 'noCreditText'] as const

/** What the bot says besides its entries. */
export function TextsTab({ campaign }: { campaign: ShownCampaign }) {
  const draft = useDraft(campaign)
  return (
    <DraftForm draft={draft}>
      <div className="stack stack-4">
        <p className="muted">{words.texts}</p>
        {texts.map((name) => (
          <TextSetting
            key={name}
            draft={draft}
            name={name}
            rows={2}
            isNullable
            {...(name === 'fallbackText' && { hint: words.misses(draft.settings.maxMisses) })}
          />
        ))}
        <PhrasesSetting draft={draft} name="personPhrases" />
        <PhrasesSetting draft={draft} name="stopPhrases" />
      </div>
    </DraftForm>
  )
}

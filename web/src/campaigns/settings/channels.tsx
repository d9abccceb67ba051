import type { ShownCampaign } from '@patchbay/contract/app/campaigns.ts'
import { ChannelLabel } from '../../ui/channel.tsx'
import { Check } from '../../ui/check.tsx'
import type { SettingsForm } from './use-settings-form.ts'
import { fieldWords, settingWords as words } from './words.ts'

/**
 * The channels that a campaign answers on: all, or those that are ticked; built-in ones by their names. One that is named and was
 * never used is shown too.
 */
export function Channels({ campaign, form }: { campaign: ShownCampaign; form: SettingsForm }) {
  const chosen = form.values.channels
  const labels = new Map(campaign.channels.map((channel) => [channel.label, channel]))
  for (const label of chosen ?? [])
    if (!labels.has(label)) labels.set(label, { label, name: label, kind: null, colour: 8 })
  const all = [...labels.values()]
  const toggle = (label: string, isOn: boolean) => {
    const next = all.map((one) => one.label).filter((one) => (one === label ? isOn : chosen?.includes(one)))
    form.set({ channels: next.length === 0 ? null : next })
  }
  return (
    <fieldset className="field settings-form-fieldset">
      <legend className="label">{fieldWords.channels}</legend>
      {all.length === 0 && <p className="small muted">{words.channelsNone}</p>}
      {all.length > 0 && (
        <div className="row wrap settings-form-channels">
          <Check
            checked={chosen === null}
            onChange={({ target }) => form.set({ channels: target.checked ? null : all.map(({ label }) => label) })}
          >
            {words.allChannels}
          </Check>
          {all.map((channel) => (
            <Check
              key={channel.label}
              disabled={chosen === null}
              checked={chosen === null || chosen.includes(channel.label)}
              onChange={({ target }) => toggle(channel.label, target.checked)}
            >
              <ChannelLabel channel={channel} />
            </Check>
          ))}
        </div>
      )}
    </fieldset>
  )
}

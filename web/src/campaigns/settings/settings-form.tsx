import './settings.css'
import type { ShownCampaign } from '@patchbay/contract/app/campaigns.ts'
import type { ReactNode } from 'react'
import { SaveBar } from './save-bar.tsx'
import type { SettingsForm as Form } from './use-settings-form.ts'

type Props = { campaign: ShownCampaign; form: Form; children: ReactNode }

/** A tab of settings, saved together. */
export function SettingsForm({ campaign, form, children }: Props) {
  return (
    <form {...form.form} className="page narrow settings-form">
      {children}
      <SaveBar campaign={campaign} form={form} />
    </form>
  )
}

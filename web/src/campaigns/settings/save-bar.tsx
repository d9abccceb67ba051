import type { ShownCampaign } from '@patchbay/contract/app/campaigns.ts'
import { Button } from '../../ui/button.tsx'
import { Conflict, differences } from '../../ui/conflict.tsx'
import { Failed } from '../../ui/failed.tsx'
import { campaignWords as words } from '../words.ts'
import type { SettingsForm } from './use-settings-form.ts'
import { fieldWords } from './words.ts'

/** The buttons that save, at the bottom of the form, once something was changed. */
export function SaveBar({ campaign, form }: { campaign: ShownCampaign; form: SettingsForm }) {
  if (!form.isChanged) return null
  return (
    <div className="settings-form-save">
      {form.conflict ? (
        <Conflict {...form.conflict} changes={differences(form.base.values, campaign.settings, fieldWords)} />
      ) : (
        <>
          <Failed error={form.failure} />
          <div className="row">
            <Button look="primary" type="submit" busy={form.isSending && words.saving}>
              {words.save}
            </Button>
            <Button look="quiet" onClick={() => form.reset()}>
              {words.cancel}
            </Button>
          </div>
        </>
      )}
    </div>
  )
}

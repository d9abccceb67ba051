import type { ShownCampaign } from '@patchbay/contract/app/campaigns.ts'
import { useState } from 'react'
import { ApiError } from '../../api.ts'
import { fieldWords } from '../../words/campaign-fields.ts'
import { differences } from '../conflict.tsx'
import { changeAndTell } from '../taught.ts'
import { fetchCampaign, useChangeCampaign } from '../use-campaign.ts'

export type Settings = ShownCampaign['settings']

/**
 * What is typed and not saved yet, over the version that it was typed over. What somebody else saves meanwhile changes
 * nothing of it; saving is then refused, and whoever saves chooses.
 */
export function useDraft(campaign: ShownCampaign) {
  const [base, setBase] = useState(campaign)
  const [changed, setChanged] = useState<Partial<Settings>>({})
  const change = useChangeCampaign(campaign.id)
  const isDirty = Object.keys(changed).length > 0
  const shown = isDirty ? base : campaign
  const save = async (version: number) => {
    const saved = await changeAndTell(campaign.id, () => change.mutateAsync({ version, settings: changed })).catch(
      () => undefined,
    )
    if (!saved) return void (await fetchCampaign(campaign.id).catch(() => {})) // the error is shown
    setBase(saved)
    setChanged({})
  }
  const isConflict = change.error instanceof ApiError && change.error.status === 409
  return {
    settings: { ...shown.settings, ...changed },
    isDirty,
    isSaving: change.isPending,
    error: isConflict ? null : change.error,
    set: (fields: Partial<Settings>) => {
      if (!isDirty) setBase(campaign)
      setChanged({ ...changed, ...fields })
    },
    save: () => void save(shown.version),
    drop: () => {
      setChanged({})
      change.reset()
    },
    conflict: isConflict &&
      isDirty && {
        changes: differences(base.settings, campaign.settings, fieldWords),
        onTheirs: () => {
          setChanged({})
          change.reset()
        },
        onMine: () => void save(campaign.version),
      },
  }
}

export type SettingsDraft = ReturnType<typeof useDraft>

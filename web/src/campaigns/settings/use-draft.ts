import type { ShownCampaign } from '@patchbay/contract/app/campaigns.ts'
import type { Connection } from '@patchbay/contract/app/connections.ts'
import { useState } from 'react'
import { ApiError } from '../../data/api.ts'
import { differences } from '../conflict.tsx'
import { changeAndTell } from '../taught.ts'
import { fetchCampaign, useChangeCampaign } from '../use-campaign.ts'
import { fieldWords } from './words.ts'

export type Settings = ShownCampaign['settings']

/**
 * What is typed and not saved yet, over the version that it was typed over. What somebody else saves meanwhile changes
 * nothing of it; saving is then refused, and whoever saves chooses.
 */
export function useDraft(campaign: ShownCampaign) {
  const [base, setBase] = useState(campaign)
  const [changed, setChanged] = useState<Partial<Settings>>({})
  const change = useChangeCampaign(campaign.id)
  /** Another connection than the saved one. */
  const [chosen, setChosen] = useState<string>()
  const isDirty = Object.keys(changed).length > 0 || chosen !== undefined
  const shown = isDirty ? base : campaign
  const save = async (version: number) => {
    const fields = { version, settings: changed, ...(chosen !== undefined && { connectionId: chosen }) }
    const saved = await changeAndTell(campaign.id, () => change.mutateAsync(fields)).catch(() => undefined)
    if (!saved) return void (await fetchCampaign(campaign.id).catch(() => {})) // the error is shown
    setBase(saved)
    setChanged({})
    setChosen(undefined)
  }
  const isConflict = change.error instanceof ApiError && change.error.status === 409
  return {
    settings: { ...shown.settings, ...changed },
    connectionId: chosen ?? shown.connection?.id ?? null,
    isDirty,
    isSaving: change.isPending,
    error: isConflict ? null : change.error,
    set: (fields: Partial<Settings>) => {
      if (!isDirty) setBase(campaign)
      setChanged({ ...changed, ...fields })
    },
    /** The connection says the engine; its model is used until another one is named. */
    choose: ({ id, kind }: Pick<Connection, 'id' | 'kind'>) => {
      if (!isDirty) setBase(campaign)
      setChosen(id)
      setChanged({ ...changed, engine: kind, model: null })
    },
    save: () => void save(shown.version),
    drop: () => {
      setChanged({})
      setChosen(undefined)
      change.reset()
    },
    conflict: isConflict &&
      isDirty && {
        changes: differences(base.settings, campaign.settings, fieldWords),
        onTheirs: () => {
          setChanged({})
          setChosen(undefined)
          change.reset()
        },
        onMine: () => void save(campaign.version),
      },
  }
}

export type SettingsDraft = ReturnType<typeof useDraft>

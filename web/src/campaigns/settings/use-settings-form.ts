import type { ShownCampaign } from '@patchbay/contract/app/campaigns.ts'
import type { Connection } from '@patchbay/contract/app/connections.ts'
import { useForm } from '../../ui/use-form.ts'
import { changeAndTell } from '../knowledge-changes.ts'
import { changeCampaign, fetchCampaign } from '../use-campaign.ts'

export type Settings = ShownCampaign['settings']
type Values = Settings & { connectionId: string | null }

/**
 * The form of a campaign's settings. Only what was changed is sent. It is refused when somebody else has saved
 * meanwhile, and whoever saves chooses.
 */
export function useSettingsForm(campaign: ShownCampaign) {
  const { id, version } = campaign
  const form = useForm({
    initial: valuesOf(campaign),
    version,
    send: async (values, base) => {
      try {
        return await changeAndTell(id, () => changeCampaign(id, { version: base.version, ...sentOf(values, base) }))
      } catch (error) {
        await fetchCampaign(id).catch(() => {}) // what somebody else has saved; the first error is the one to show
        throw error
      }
    },
    kept: (saved) => ({ values: valuesOf(saved), version: saved.version }),
  })
  return {
    ...form,
    /** The connection says the engine; its model is used until another one is named. */
    choose: ({ id, kind }: Pick<Connection, 'id' | 'kind'>) =>
      form.set({ connectionId: id, engine: kind, model: null }),
  }
}

const valuesOf = ({ settings, connection }: ShownCampaign): Values => ({
  ...settings,
  connectionId: connection?.id ?? null,
})

/**
 * Returns the changes as they are sent. With a connection its engine and model are sent too: left out, they would be
 * those of the connection.
 */
function sentOf({ engine, model }: Values, { changes }: { changes: Partial<Values> }) {
  const { connectionId, ...settings } = changes
  return connectionId === undefined ? { settings } : { connectionId, settings: { ...settings, engine, model } }
}

export type SettingsForm = ReturnType<typeof useSettingsForm>

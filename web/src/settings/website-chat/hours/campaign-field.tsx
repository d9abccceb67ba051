import { useQuery } from '@tanstack/react-query'
import { read } from '../../../data/queries.ts'
import { SelectField } from '../../../ui/field.tsx'
import type { ChatForm } from '../form/use-chat-form.ts'
import { chatWords as words } from '../words.ts'

/** The campaign that has what begins in the chat, or none by name. */
export function CampaignField({ form }: { form: ChatForm }) {
  const campaigns = useQuery(read('GET /api/campaigns')).data?.campaigns ?? []
  const { campaignId } = form.values
  const isKnown = campaignId === null || campaigns.some(({ id }) => id === campaignId)
  return (
    <SelectField
      label={words.campaign}
      hint={words.campaignHint}
      error={form.errors.campaignId}
      name="campaignId"
      value={campaignId ?? ''}
      onChange={({ target }) => form.set({ campaignId: target.value === '' ? null : target.value })}
    >
      <option value="">{words.campaignAny}</option>
      {!isKnown && <option value={campaignId}>{campaignId}</option>}
      {campaigns.map(({ id, name }) => (
        <option value={id} key={id}>
          {name}
        </option>
      ))}
    </SelectField>
  )
}

import type { ShownCampaign } from '@patchbay/contract/app/campaigns.ts'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { sayError } from '../ui/error-state.tsx'
import { campaignWords as words } from '../words/campaigns.ts'
import { useChangeCampaign } from './use-campaign.ts'

/** In place of the name. Escape leaves it as it was. */
export function RenameCampaign({ campaign, onDone }: { campaign: ShownCampaign; onDone: () => void }) {
  const [name, setName] = useState(campaign.name)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => input.current?.select(), [])
  const change = useChangeCampaign(campaign.id)
  const isBlank = name.trim() === ''
  const error = isBlank ? words.nameMissing : change.error && sayError(change.error).title
  return (
    <form
      className="row wrap"
      noValidate
      onKeyDown={(event) => event.key === 'Escape' && onDone()}
      onSubmit={(event) => {
        event.preventDefault()
        if (name.trim() === campaign.name) onDone()
        else if (!isBlank) change.mutate({ version: campaign.version, name: name.trim() }, { onSuccess: onDone })
      }}
    >
      <input
        ref={input}
        className="input rename-input"
        aria-label={words.name}
        aria-invalid={isBlank || undefined}
        value={name}
        dir="auto"
        maxLength={256}
        autoComplete="off"
        onChange={(event) => setName(event.target.value)}
      />
      <Button look="primary" type="submit" busy={change.isPending && words.saving}>
        {words.save}
      </Button>
      <Button look="quiet" onClick={onDone}>
        {words.cancel}
      </Button>
      {error && (
        <span className="error" role="alert">
          {error}
        </span>
      )}
    </form>
  )
}

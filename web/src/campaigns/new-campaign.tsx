import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { call } from '../api.ts'
import { Button } from '../ui/button.tsx'
import { sayError } from '../ui/error-state.tsx'
import { Field } from '../ui/field.tsx'
import { campaignWords as words } from '../words/campaigns.ts'
import { keepCampaign } from './use-campaign.ts'

/** The form for a new campaign, where it was asked for. It is a draft: it answers nobody before it is made live. */
export function NewCampaign({ onDone }: { onDone: () => void }) {
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [isMissing, setMissing] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => input.current?.focus(), [])
  const create = useMutation({
    mutationFn: () => call('POST /api/campaigns', { body: { name: name.trim() } }),
    onSuccess: async (campaign) => {
      keepCampaign(campaign)
      await navigate({ to: '/campaigns/$campaignId', params: { campaignId: campaign.id } })
    },
  })
  const error = isMissing ? words.nameMissing : create.error && sayError(create.error).title
  return (
    <form
      className="card card-body stack stack-3 new-campaign"
      noValidate
      onKeyDown={(event) => event.key === 'Escape' && onDone()}
      onSubmit={(event) => {
        event.preventDefault()
        setMissing(name.trim() === '')
        if (name.trim() === '') input.current?.focus()
        else if (!create.isPending) create.mutate()
      }}
    >
      <Field
        ref={input}
        label={words.name}
        hint={words.nameHint}
        error={error}
        value={name}
        dir="auto"
        maxLength={256}
        autoComplete="off"
        onChange={(event) => {
          setName(event.target.value)
          setMissing(false)
        }}
      />
      <div className="row">
        <Button look="primary" type="submit" busy={create.isPending && words.creating}>
          {words.create}
        </Button>
        <Button look="quiet" onClick={onDone}>
          {words.cancel}
        </Button>
      </div>
    </form>
  )
}

import { useMutation } from '@tanstack/react-query'
import { call } from '../../data/api.ts'
import { queryClient, read } from '../../data/queries.ts'
import { sayError } from '../../ui/error-state.tsx'
import { Section } from '../../ui/section.tsx'
import { Switch } from '../../ui/switch.tsx'
import { accountWords as words } from './words.ts'

/** Whether the bot answers at all, in this account. */
export function BotSwitch({ isOn, isOwner }: { isOn: boolean; isOwner: boolean }) {
  const change = useMutation({
    mutationFn: (active: boolean) => call('PUT /api/account/bot', { body: { active } }),
    onSuccess: (account) => queryClient.setQueryData(read('GET /api/account').queryKey, account),
  })
  const shown = change.isPending ? change.variables : isOn
  return (
    <Section title={words.bot} says={words.botSays}>
      <div className="stack">
        <Switch on={shown} disabled={!isOwner} onChange={(active) => change.mutate(active)}>
          {shown ? words.botOn : words.botOff}
        </Switch>
        {!isOwner && <span className="hint">{words.botOwner}</span>}
        {change.error && <span className="error">{sayError(change.error).title}</span>}
      </div>
    </Section>
  )
}

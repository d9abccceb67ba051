import { type AlertCondition, alertConditions } from '@patchbay/contract/alerts.ts'
import type { AlertSettings } from '@patchbay/contract/app/alerts.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { plainText, unitsOf } from '../../credits/amount.ts'
import { call } from '../../data/api.ts'
import { queryClient, read } from '../../data/queries.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorState, sayError } from '../../ui/error-state.tsx'
import { Field } from '../../ui/field.tsx'
import { Section } from '../../ui/section.tsx'
import { Switch } from '../../ui/switch.tsx'
import { showToast } from '../../ui/toast.ts'
import { useForm } from '../../ui/use-form.ts'
import { WaitingBlock } from '../../ui/waiting.tsx'
import { alertWords as words } from './words.ts'

/** What is sent to the alert address. */
export function ChoiceSection({ hasCredits }: { hasCredits: boolean }) {
  const { data, error, refetch } = useQuery(read('GET /api/alerts/settings'))
  return (
    <Section title={words.send} says={words.sendSays}>
      {data ? (
        <Choices settings={data} hasCredits={hasCredits} />
      ) : error ? (
        <ErrorState error={error} retry={() => void refetch()} />
      ) : (
        <WaitingBlock height={160} />
      )}
    </Section>
  )
}

function Choices({ settings, hasCredits }: { settings: AlertSettings; hasCredits: boolean }) {
  const { creditsBelow, ...rest } = settings
  const save = useMutation({
    mutationFn: (change: Partial<AlertSettings> & { below?: string }) => {
      const { below = creditsBelow === null ? '' : String(creditsBelow), ...others } = change
      return call('PUT /api/alerts/settings', { body: { ...rest, ...others, creditsBelow: below } })
    },
    onSuccess: (saved) => queryClient.setQueryData(read('GET /api/alerts/settings').queryKey, saved),
    onError: (error) => showToast({ text: sayError(error).title }),
  })
  const { conditions, namesContacts } = { ...rest, ...(save.isPending ? save.variables : {}) }
  const set = (condition: AlertCondition, isWanted: boolean) =>
    save.mutate({
      conditions: alertConditions.filter((one) => (one === condition ? isWanted : conditions.includes(one))),
    })
  const shown = alertConditions.filter((condition) => condition !== 'credits' || hasCredits)
  return (
    <div className="stack stack-4">
      <fieldset className="alert-choices">
        <legend className="sr">{words.send}</legend>
        {shown.map((condition) => (
          <Switch key={condition} on={conditions.includes(condition)} onChange={(isWanted) => set(condition, isWanted)}>
            {words.conditions[condition]}
          </Switch>
        ))}
      </fieldset>
      <div className="stack">
        <Switch on={namesContacts} onChange={(isNamed) => save.mutate({ namesContacts: isNamed })}>
          {words.namesContacts}
        </Switch>
        <span className="hint">{words.namesHint}</span>
      </div>
      {hasCredits && <CreditsForm below={creditsBelow} onSave={(below) => save.mutateAsync({ below })} />}
    </div>
  )
}

type FormProps = { below: number | null; onSave: (below: string) => Promise<unknown> }

/** The limit below which credits are low. A refusal is said in a toast, as that of a switch. */
function CreditsForm({ below, onSave }: FormProps) {
  const form = useForm({
    initial: { below: below === null ? '' : String(below) },
    check: (typed) => ({
      below: typed.below.trim() !== '' && (unitsOf(typed.below) ?? 0n) === 0n && words.creditsWrong,
    }),
    send: (typed) => onSave(plainText(typed.below)),
  })
  return (
    <form {...form.form} className="form-narrow">
      <Field
        label={words.creditsBelow}
        mono
        inputMode="decimal"
        maxLength={20}
        hint={words.creditsHint}
        aside={
          form.isChanged && (
            <Button type="submit" size="sm" busy={form.isSending && words.saving}>
              {words.save}
            </Button>
          )
        }
        {...form.field('below')}
      />
    </form>
  )
}

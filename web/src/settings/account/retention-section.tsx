import type { RetentionRules } from '@patchbay/contract/app/retention.ts'
import { limits } from '@patchbay/contract/limits.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import Check from 'lucide-react/icons/check'
import { type FormEvent, useState } from 'react'
import { call } from '../../data/api.ts'
import { queryClient, read } from '../../data/queries.ts'
import { Button } from '../../ui/button.tsx'
import { sayError } from '../../ui/error-state.tsx'
import { Field } from '../../ui/field.tsx'
import { Note } from '../../ui/note.tsx'
import { Section } from '../../ui/section.tsx'
import { useForm } from '../../ui/use-form.ts'
import { Confirm } from './confirm.tsx'
import { retentionWords as words } from './retention-words.ts'

type Rule = RetentionRules['rules'][number]
const kinds = ['messages', 'attachments', 'visitors'] as const
type Kind = (typeof kinds)[number]

/** How long the account keeps messages, files and strangers: never for longer than the installation does. */
export function RetentionSection() {
  const { data } = useQuery(read('GET /api/account/retention'))
  if (!data) return null
  return (
    <Section title={words.title} says={words.says}>
      {kinds.map((kind) => {
        const rule = data.rules.find((one) => one.kind === kind)
        return rule && <RuleForm kind={kind} rule={rule} key={kind} />
      })}
    </Section>
  )
}

/** What will be removed is said and confirmed before it is saved. */
function RuleForm({ kind, rule }: { kind: Kind; rule: Rule }) {
  const [asked, setAsked] = useState<{ title: string; hint: string }>()
  const form = useForm({
    initial: { days: rule.days === null ? '' : String(rule.days) },
    check: ({ days }) => ({ days: problemOf(days, rule) }),
    send: ({ days }) => call('PUT /api/account/retention', { body: { kind, keepDays: daysOf(days) } }),
    onSaved: (rules) => {
      setAsked(undefined)
      queryClient.setQueryData(read('GET /api/account/retention').queryKey, rules)
    },
    place: (error) => ({ days: sayError(error).title }),
  })
  const days = daysOf(form.values.days)
  const ask = useMutation({ mutationFn: (keepDays: number) => previewOf(kind, keepDays), onSuccess: setAsked })
  const submit = (event: FormEvent) => {
    const isShorter = days !== null && (rule.days === null || days < rule.days)
    if (!isShorter || problemOf(form.values.days, rule) !== undefined) return form.submit(event)
    event.preventDefault()
    if (!ask.isPending) ask.mutate(days)
  }
  const field = form.field('days')
  return (
    <form {...form.form} className="stack stack-3 form-narrow" onSubmit={submit}>
      <Field
        label={words.fields[kind]}
        inputMode="numeric"
        autoComplete="off"
        hint={words.hints[kind](rule.most)}
        {...field}
        error={field.error || (ask.error && sayError(ask.error).title)}
        onChange={(event) => {
          field.onChange(event)
          setAsked(undefined)
        }}
      />
      {asked ? (
        <Confirm
          words={{ ...asked, keep: words.keep, doIt: words.remove, doing: words.saving }}
          isBusy={form.isSending}
          onKeep={() => setAsked(undefined)}
          onDo={() => form.submit()}
        />
      ) : (
        <div>
          <Button type="submit" busy={(ask.isPending || form.isSending) && words.saving} disabled={days === rule.days}>
            {words.save}
          </Button>
        </div>
      )}
      {form.isSaved && (
        <Note icon={Check} tone="ok" role="status">
          {words.saved}
        </Note>
      )}
    </form>
  )
}

/** What would be removed, and from when on. */
async function previewOf(kind: Kind, keepDays: number): Promise<{ title: string; hint: string }> {
  if (kind !== 'messages') return { title: words.removesAll[kind](keepDays), hint: '' }
  const { messages, hasMore } = await call('GET /api/account/retention/preview', {
    query: { keepDays: String(keepDays) },
  })
  return { title: words.removes(messages, hasMore), hint: words.removesHint(keepDays) }
}

/** Reads the days; null: for as long as the installation keeps them. */
const daysOf = (text: string) => (text.trim() === '' ? null : Number(text))

function problemOf(text: string, { most }: Rule): string | undefined {
  if (text.trim() === '') return undefined
  const days = Number(text)
  const { from, to } = limits.keepDays
  if (!/^\s*\d+\s*$/.test(text) || days < from || days > to) return words.noDays
  return most !== null && days > most ? words.tooMany(most) : undefined
}

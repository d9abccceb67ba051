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
import { Confirm } from './confirm.tsx'
import { retentionWords as words } from './retention-words.ts'

type Rule = RetentionRules['rules'][number]
type Kind = 'messages' | 'attachments'

/** How long the account keeps messages and files: never for longer than the installation does. */
export function RetentionSection() {
  const { data } = useQuery(read('GET /api/account/retention'))
  const rule = (kind: Kind) => data?.rules.find((one) => one.kind === kind)
  const [messages, attachments] = [rule('messages'), rule('attachments')]
  if (!messages || !attachments) return null
  return (
    <Section title={words.title} says={words.says}>
      <RuleForm kind="messages" rule={messages} key={`messages ${messages.days}`} />
      <RuleForm kind="attachments" rule={attachments} key={`attachments ${attachments.days}`} />
    </Section>
  )
}

/** What will be removed is said and confirmed before it is saved. */
function RuleForm({ kind, rule }: { kind: Kind; rule: Rule }) {
  const [text, setText] = useState(rule.days === null ? '' : String(rule.days))
  const [isChecked, setChecked] = useState(false)
  const [asked, setAsked] = useState<{ title: string; hint: string }>()
  const days = text.trim() === '' ? null : Number(text)
  const problem = problemOf(text, rule)
  const ask = useMutation({
    mutationFn: async (keepDays: number) =>
      kind === 'attachments'
        ? { title: words.filesHint(keepDays), hint: '' }
        : call('GET /api/account/retention/preview', { query: { keepDays: String(keepDays) } }).then(
            ({ messages, hasMore }) => ({ title: words.removes(messages, hasMore), hint: words.removesHint(keepDays) }),
          ),
    onSuccess: setAsked,
  })
  const save = useMutation({
    mutationFn: () => call('PUT /api/account/retention', { body: { kind, keepDays: days } }),
    onSuccess: (rules) => {
      setAsked(undefined)
      queryClient.setQueryData(read('GET /api/account/retention').queryKey, rules)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setChecked(true)
    if (problem !== undefined) return
    if (days === null || (rule.days !== null && days >= rule.days)) save.mutate()
    else ask.mutate(days)
  }
  const error = ask.error ?? save.error
  return (
    <form className="stack stack-3 form-narrow" onSubmit={submit} noValidate>
      <Field
        label={words.fields[kind]}
        inputMode="numeric"
        autoComplete="off"
        value={text}
        hint={words.hints[kind](rule.most)}
        error={isChecked ? (problem ?? (error ? sayError(error).title : undefined)) : undefined}
        onBlur={() => setChecked(true)}
        onChange={(event) => {
          setText(event.target.value)
          setAsked(undefined)
        }}
      />
      {asked ? (
        <Confirm
          words={{ ...asked, keep: words.keep, doIt: words.remove, doing: words.saving }}
          isBusy={save.isPending}
          onKeep={() => setAsked(undefined)}
          onDo={() => save.mutate()}
        />
      ) : (
        <div>
          <Button type="submit" busy={(ask.isPending || save.isPending) && words.saving} disabled={days === rule.days}>
            {words.save}
          </Button>
        </div>
      )}
      {save.isSuccess && (
        <Note icon={Check} tone="ok" role="status">
          {words.saved}
        </Note>
      )}
    </form>
  )
}

function problemOf(text: string, { most }: Rule): string | undefined {
  if (text.trim() === '') return undefined
  const days = Number(text)
  const { from, to } = limits.keepDays
  if (!/^\s*\d+\s*$/.test(text) || days < from || days > to) return words.noDays
  return most !== null && days > most ? words.tooMany(most) : undefined
}

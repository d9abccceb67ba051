import type { Account } from '@patchbay/contract/app/account.ts'
import { limits } from '@patchbay/contract/limits.ts'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { call } from '../../data/api.ts'
import { queryClient, read } from '../../data/queries.ts'
import { Button } from '../../ui/button.tsx'
import { CopyLine } from '../../ui/copy-line.tsx'
import { sayError } from '../../ui/error-state.tsx'
import { Field } from '../../ui/field.tsx'
import { Section } from '../../ui/section.tsx'
import { accountWords as words } from './words.ts'

/** The names that others see. An owner names the business too. */
export function ProfileForm({
  account,
  accountId,
  isOwner,
}: {
  account: Account
  accountId: string
  isOwner: boolean
}) {
  const [userName, setUserName] = useState(account.userName)
  const [name, setName] = useState(account.name)
  const [isChecked, setChecked] = useState(false)
  const change = useMutation({
    mutationFn: () => call('PATCH /api/account', { body: { userName, ...(isOwner && { name }) } }),
    onSuccess: (saved) => {
      queryClient.setQueryData(read('GET /api/account').queryKey, saved)
      void queryClient.invalidateQueries({ queryKey: ['GET /api/session'] })
    },
  })
  const isChanged = userName.trim() !== account.userName || name.trim() !== account.name
  const missing = (text: string) => (isChecked && text.trim() === '' ? words.nameMissing : undefined)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setChecked(true)
    if (userName.trim() !== '' && name.trim() !== '') change.mutate()
  }
  return (
    <Section title={words.profile}>
      <form className="stack stack-3 form-narrow" onSubmit={submit} noValidate>
        <Field label={words.email} hint={words.emailHint} value={account.email} readOnly />
        <Field
          label={words.userName}
          hint={words.userNameHint}
          error={missing(userName)}
          autoComplete="name"
          maxLength={limits.nameCharacters}
          value={userName}
          onChange={(event) => setUserName(event.target.value)}
        />
        <Field
          label={words.businessName}
          error={missing(name) ?? (change.error ? sayError(change.error).title : undefined)}
          autoComplete="organization"
          maxLength={limits.nameCharacters}
          value={name}
          readOnly={!isOwner}
          onChange={(event) => setName(event.target.value)}
        />
        <div className="field">
          <span className="label">{words.accountId}</span>
          <div>
            <CopyLine text={accountId} what={words.accountIdWhat} />
          </div>
        </div>
        <div>
          <Button type="submit" disabled={!isChanged} busy={change.isPending && words.saving}>
            {isChanged || !change.isSuccess ? words.save : words.saved}
          </Button>
        </div>
      </form>
    </Section>
  )
}

import type { Account } from '@patchbay/contract/app/account.ts'
import { limits } from '@patchbay/contract/limits.ts'
import { call } from '../../data/api.ts'
import { queryClient, read } from '../../data/queries.ts'
import { Button } from '../../ui/button.tsx'
import { CopyLine } from '../../ui/copy-line.tsx'
import { Failed } from '../../ui/failed.tsx'
import { Field } from '../../ui/field.tsx'
import { Section } from '../../ui/section.tsx'
import { useForm } from '../../ui/use-form.ts'
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
  const form = useForm({
    initial: { userName: account.userName, name: account.name },
    check: ({ userName, name }) => ({
      userName: userName.trim() === '' && words.nameMissing,
      name: name.trim() === '' && words.nameMissing,
    }),
    send: ({ userName, name }) => call('PATCH /api/account', { body: { userName, ...(isOwner && { name }) } }),
    onSaved: (saved) => {
      queryClient.setQueryData(read('GET /api/account').queryKey, saved)
      void queryClient.invalidateQueries({ queryKey: ['GET /api/session'] })
    },
  })
  return (
    <Section title={words.profile}>
      <form {...form.form} className="stack stack-3 form-narrow">
        <Field label={words.email} hint={words.emailHint} value={account.email} readOnly />
        <Field
          label={words.userName}
          hint={words.userNameHint}
          autoComplete="name"
          maxLength={limits.nameCharacters}
          {...form.field('userName')}
        />
        <Field
          label={words.businessName}
          autoComplete="organization"
          maxLength={limits.nameCharacters}
          readOnly={!isOwner}
          {...form.field('name')}
        />
        <div className="field">
          <span className="label">{words.accountId}</span>
          <div>
            <CopyLine text={accountId} what={words.accountIdWhat} />
          </div>
        </div>
        <Failed error={form.failure} />
        <div>
          <Button type="submit" disabled={!form.isChanged} busy={form.isSending && words.saving}>
            {form.isSaved ? words.saved : words.save}
          </Button>
        </div>
      </form>
    </Section>
  )
}

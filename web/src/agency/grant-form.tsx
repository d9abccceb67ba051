import type { Subaccount } from '@patchbay/contract/app/agency.ts'
import { limits } from '@patchbay/contract/limits.ts'
import { useRef } from 'react'
import { formatCredits, formatUnits, plainText, unitsOf, unitsOfNumber } from '../credits/amount.ts'
import { call } from '../data/api.ts'
import { Button } from '../ui/button.tsx'
import { sayError } from '../ui/error-state.tsx'
import { Field } from '../ui/field.tsx'
import { Kbd } from '../ui/kbd.tsx'
import { showToast } from '../ui/toast.ts'
import { useForm } from '../ui/use-form.ts'
import { refreshCredits } from './subaccount-query.ts'
import { agencyWords as words } from './words.ts'

/** A form that grants credits, under the row it was asked for; it shows the balance after. */
export function GrantForm({ subaccount, onDone }: { subaccount: Subaccount; onDone: () => void }) {
  const form = useForm({
    initial: { amount: '', description: '' },
    check: ({ amount }) => ({ amount: (unitsOf(amount) ?? 0n) === 0n && words.amountWrong }),
    send: useGrant(subaccount.id),
    onSaved: ({ amount, balance }) => {
      showToast({ text: words.wasGranted(formatCredits(amount), subaccount.name, formatCredits(balance)) })
      refreshCredits()
      onDone()
    },
    place: (error) => ({ amount: sayError(error).title }),
  })
  const units = unitsOf(form.values.amount) ?? 0n
  return (
    <form
      {...form.form}
      className="grant-form"
      aria-label={words.grantTo(subaccount.name)}
      onKeyDown={(event) => event.key === 'Escape' && onDone()}
    >
      <Field
        label={words.amount}
        mono
        autoFocus
        inputMode="decimal"
        autoComplete="off"
        maxLength={20}
        {...form.field('amount')}
      />
      <Field label={words.description} maxLength={limits.descriptionCharacters} {...form.field('description')} />
      <div className="field">
        <span className="label muted">{words.after}</span>
        <output className="mono grant-form-after">
          {formatCredits(subaccount.balance)} <span className="faint">→</span>{' '}
          <b>{formatUnits(unitsOfNumber(subaccount.balance) + units)}</b>
        </output>
      </div>
      <div className="row wrap grant-form-whole">
        <Button type="submit" look="primary" busy={form.isSending && words.granting}>
          {words.grantIt(units > 0n ? formatUnits(units) : '…')}
          <Kbd press="Enter" />
        </Button>
        <Button look="quiet" onClick={onDone}>
          {words.cancel}
          <Kbd press="Escape" />
        </Button>
        <span className="small faint end">{words.once}</span>
      </div>
    </form>
  )
}

/** Grants credits with one key for each order: the same one sent again, also after a lost answer, is granted once. */
function useGrant(accountId: string) {
  const keys = useRef(new Map<string, string>())
  return (typed: { amount: string; description: string }) => {
    const [amount, description] = [plainText(typed.amount), typed.description.trim()]
    const order = JSON.stringify([amount, description])
    const idempotencyKey = keys.current.get(order) ?? crypto.randomUUID()
    keys.current.set(order, idempotencyKey)
    const body = { amount, idempotencyKey, ...(description !== '' && { description }) }
    return call('POST /api/agency/subaccounts/:accountId/grants', { params: { accountId }, body })
  }
}

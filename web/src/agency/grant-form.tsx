import type { Subaccount } from '@patchbay/contract/app/agency.ts'
import { limits } from '@patchbay/contract/limits.ts'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { plainText, sayCredits, sayUnits, unitsOf, unitsOfNumber } from '../credits/amount.ts'
import { call } from '../data/api.ts'
import { Button } from '../ui/button.tsx'
import { sayError } from '../ui/error-state.tsx'
import { Field } from '../ui/field.tsx'
import { Kbd } from '../ui/kbd.tsx'
import { showToast } from '../ui/toast.ts'
import { refreshCredits } from './subaccount-query.ts'
import { agencyWords as words } from './words.ts'

/** Under the row it was asked for; shows the balance after. */
export function GrantForm({ subaccount, onDone }: { subaccount: Subaccount; onDone: () => void }) {
  const form = useRef<HTMLFormElement>(null)
  const [text, setText] = useState('')
  const [description, setDescription] = useState('')
  const [isWrong, setWrong] = useState(false)
  const units = unitsOf(text)
  const grant = useGrant(subaccount, onDone)
  useEffect(() => form.current?.querySelector('input')?.focus(), [])
  const isAmount = units !== undefined && units > 0n
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setWrong(!isAmount)
    if (isAmount && !grant.isPending) grant.mutate({ amount: plainText(text), description: description.trim() })
  }
  const error = isWrong ? words.amountWrong : grant.error ? sayError(grant.error).title : undefined
  return (
    <form
      ref={form}
      className="grant-form"
      aria-label={words.grantTo(subaccount.name)}
      noValidate
      onSubmit={submit}
      onKeyDown={(event) => event.key === 'Escape' && onDone()}
    >
      <Field
        label={words.amount}
        mono
        inputMode="decimal"
        autoComplete="off"
        maxLength={20}
        value={text}
        error={error}
        onChange={(event) => {
          setText(event.target.value)
          setWrong(false)
        }}
      />
      <Field
        label={words.description}
        maxLength={limits.descriptionCharacters}
        value={description}
        onChange={(event) => setDescription(event.target.value)}
      />
      <div className="field">
        <span className="label muted">{words.after}</span>
        <output className="mono after">
          {sayCredits(subaccount.balance)} <span className="faint">→</span>{' '}
          <b>{sayUnits(unitsOfNumber(subaccount.balance) + (units ?? 0n))}</b>
        </output>
      </div>
      <div className="row wrap whole">
        <Button type="submit" look="primary" busy={grant.isPending && words.granting}>
          {words.grantIt(isAmount ? sayUnits(units) : '…')}
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

type Order = { amount: string; description: string }

/** One key for each order: the same one sent again, also after a lost answer, is granted once. */
function useGrant({ id: accountId, name }: Subaccount, onDone: () => void) {
  const keys = useRef(new Map<string, string>())
  return useMutation({
    mutationFn: ({ amount, description }: Order) => {
      const order = JSON.stringify([amount, description])
      const idempotencyKey = keys.current.get(order) ?? crypto.randomUUID()
      keys.current.set(order, idempotencyKey)
      const body = { amount, idempotencyKey, ...(description !== '' && { description }) }
      return call('POST /api/agency/subaccounts/:accountId/grants', { params: { accountId }, body })
    },
    onSuccess: ({ amount, balance }) => {
      showToast({ text: words.wasGranted(sayCredits(amount), name, sayCredits(balance)) })
      refreshCredits()
      onDone()
    },
  })
}

import type { Subaccount } from '@patchbay/contract/app/agency.ts'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { plainText, unitsOf } from '../credits/amount.ts'
import { call } from '../data/api.ts'
import { Button } from '../ui/button.tsx'
import { sayError } from '../ui/error-state.tsx'
import { Field } from '../ui/field.tsx'
import { Switch } from '../ui/switch.tsx'
import { showToast } from '../ui/toast.ts'
import { keepSubaccount } from './subaccount-query.ts'
import { agencyWords as words } from './words.ts'

/** When to ask for a recharge, and for how much. */
export function RechargeForm({ subaccount: { id, recharge } }: { subaccount: Subaccount }) {
  const [below, setBelow] = useState(String(recharge?.threshold ?? ''))
  const [amount, setAmount] = useState(String(recharge?.amount ?? ''))
  const [isWrong, setWrong] = useState(false)
  const save = useMutation({
    mutationFn: (isOn: boolean) =>
      call('PUT /api/agency/subaccounts/:accountId/recharge', {
        params: { accountId: id },
        body: { threshold: isOn ? plainText(below) : '0', amount: isOn ? plainText(amount) : '1' },
      }),
    onSuccess: (detail) => {
      showToast({ text: words.rechargeSaved })
      keepSubaccount(detail)
    },
  })
  const set = (isOn: boolean) => {
    const isRight = !isOn || [below, amount].every((text) => (unitsOf(text) ?? 0n) > 0n)
    setWrong(!isRight)
    if (isRight) save.mutate(isOn)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    set(true)
  }
  const isChanged = recharge !== null && (below !== String(recharge.threshold) || amount !== String(recharge.amount))
  const error = isWrong ? words.rechargeWrong : save.error ? sayError(save.error).title : undefined
  return (
    <form className="card card-body recharge-form" aria-label={words.recharge} noValidate onSubmit={submit}>
      <div className="grow">
        <b className="strong">{words.recharge}</b>
        <p className="small muted">{words.rechargeSays}</p>
      </div>
      <Field
        label={words.below}
        mono
        inputMode="decimal"
        className="input-sm"
        maxLength={20}
        value={below}
        onChange={(event) => setBelow(event.target.value)}
      />
      <Field
        label={words.askFor}
        mono
        inputMode="decimal"
        className="input-sm"
        maxLength={20}
        value={amount}
        onChange={(event) => setAmount(event.target.value)}
      />
      {isChanged ? (
        <Button type="submit" size="sm" busy={save.isPending && words.saving}>
          {words.save}
        </Button>
      ) : (
        <Switch on={recharge !== null} onChange={set}>
          <span className="sr">
            {words.recharge} {words.rechargeOn}
          </span>
        </Switch>
      )}
      {error && (
        <p className="error recharge-form-whole" role="alert">
          {error}
        </p>
      )}
    </form>
  )
}

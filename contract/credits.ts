import { type Static, Type } from 'typebox'
import { limits } from './limits.ts'
import { optionalText, requiredText } from './text.ts'

export const NewGrant = Type.Object({
  email: requiredText(limits.idCharacters, 'E-mail address of a sub-account of yours, without regard to case.'),
  amount: Type.Number({ description: 'Credits to grant: above 0, at most 1,000,000,000, with at most 4 decimals.' }),
  description: optionalText(limits.descriptionCharacters, "Shown in the sub-account's history of credits."),
})

export const CreditsGranted = Type.Object({
  success: Type.Literal(true),
  sub_account_id: Type.String(),
  credits_added: Type.Number(),
  new_balance: Type.Number({ description: 'The balance that this very grant has left.' }),
})
export type CreditsGranted = Static<typeof CreditsGranted>

/** The body of the event that asks an agency to recharge a sub-account. */
export type RechargeEvent = {
  event: 'subaccount.auto_recharge'
  /** Fresh for every time the balance falls below; also the `webhook-id`. */
  idempotency_key: string
  sub_account_id: string
  email: string
  balance: number
  threshold: number
  amount: number
  created_at: string
}

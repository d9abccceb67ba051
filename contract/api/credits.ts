import type { Static } from 'typebox'
import { limits } from '../limits.ts'
import { Type } from '../schema.ts'
import { optionalText, requiredText } from '../text.ts'
import type { ApiRoute } from './route.ts'

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
export const RechargeEvent = Type.Object({
  event: Type.Literal('subaccount.auto_recharge'),
  idempotency_key: Type.String({
    description: 'Fresh for every time the balance falls below, the same at every attempt; also the `webhook-id`.',
  }),
  sub_account_id: Type.String(),
  email: Type.String({ description: 'Of the sub-account.' }),
  balance: Type.Number({ description: 'What it has left.' }),
  threshold: Type.Number({ description: 'What it should not fall below.' }),
  amount: Type.Number({ description: 'The credits that are wished for.' }),
  created_at: Type.String({ format: 'date-time', description: 'ISO 8601, UTC.' }),
})
export type RechargeEvent = Static<typeof RechargeEvent>

export const creditRoutes = {
  'POST /v1/subaccounts/credits': {
    guard: 'headerKey',
    operationId: 'grantCredits',
    tag: 'Credits',
    summary: 'Grant credits to a sub-account',
    description:
      'For agencies. The key goes into the header. Two equal requests are two grants; `Idempotency-Key` makes it safe to repeat one.',
    keepsRawBody: true,
    batched: true,
    body: NewGrant,
    reply: CreditsGranted,
  },
} as const satisfies Record<string, ApiRoute>

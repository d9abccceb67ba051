import { CreditsGranted, NewGrant } from '@patchbay/contract/credits.ts'
import { given } from '@patchbay/contract/text.ts'
import type { App } from '../../platform/http-app.ts'
import { readIdempotencyKey } from '../../platform/idempotency/idempotency-key.ts'
import type { Hint } from '../../platform/notify/hints.ts'
import { writtenNumber } from '../../platform/request-body/raw-body.ts'
import { callerOf, type Guard } from '../accounts/guard.ts'
import { creditsOf } from './amount.ts'
import type { Grant } from './grant.ts'

type Ctx = { requireHeaderKey: Guard; grant: Grant; hint: Hint }

export function creditRoutes(app: App, { requireHeaderKey, grant, hint }: Ctx): void {
  app.post(
    '/subaccounts/credits',
    {
      config: { keepsRawBody: true },
      onRequest: requireHeaderKey,
      schema: {
        operationId: 'grantCredits',
        tags: ['Credits'],
        summary: 'Grant credits to a sub-account',
        description:
          'For agencies. The key goes into the header. Two equal requests are two grants; `Idempotency-Key` makes it safe to repeat one.',
        security: [{ header: [] }],
        body: NewGrant,
        response: { 200: CreditsGranted },
      },
    },
    async (request) => {
      const { accountId: id, kind } = callerOf(request)
      const { email, description } = request.body
      const amount = writtenNumber(request, 'amount') ?? request.body.amount
      const order = { agency: { id, kind }, email, amount, description: given(description), actor: 'api' as const }
      const granted = await grant({ ...order, idempotencyKey: readIdempotencyKey(request, 'credits') })
      for (const shown of [id, granted.accountId]) hint(shown, 'credits')
      return {
        success: true as const,
        sub_account_id: granted.accountId,
        credits_added: creditsOf(granted.amount),
        new_balance: creditsOf(granted.balanceAfter),
      }
    },
  )
}

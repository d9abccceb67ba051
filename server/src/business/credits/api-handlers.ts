import { given } from '@patchbay/contract/text.ts'
import { readIdempotencyKey } from '../../platform/idempotency/idempotency-key.ts'
import type { Hint } from '../../platform/notify/hints.ts'
import { writtenNumber } from '../../platform/request-body/raw-body.ts'
import type { ApiHandlers } from '../accounts/handlers.ts'
import { creditsOf } from './amount.ts'
import type { Grant } from './grant.ts'

type Ctx = Readonly<{ grant: Grant; hint: Hint }>

export function creditApiHandlers({ grant, hint }: Ctx): Pick<ApiHandlers, 'POST /v1/subaccounts/credits'> {
  return {
    'POST /v1/subaccounts/credits': async ({ caller: { accountId: id, kind }, body, http }) => {
      const granted = await grant({
        agency: { id, kind },
        email: body.email,
        amount: writtenNumber(http, 'amount') ?? body.amount,
        description: given(body.description),
        actor: 'api',
        idempotencyKey: readIdempotencyKey(http, 'credits'),
      })
      for (const shown of [id, granted.accountId]) hint(shown, 'credits')
      return {
        success: true,
        sub_account_id: granted.accountId,
        credits_added: creditsOf(granted.amount),
        new_balance: creditsOf(granted.balanceAfter),
      }
    },
  }
}

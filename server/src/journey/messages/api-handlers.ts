import type { ApiHandlers } from '../../business/accounts/handlers.ts'
import type { Db } from '../../platform/database/db.ts'
import type { FairShare } from '../../platform/database/fair-share.ts'
import { readIdempotencyKey } from '../../platform/idempotency/idempotency-key.ts'
import type { Hint } from '../../platform/notify/hints.ts'
import { readTraceparent } from '../../platform/trace-context.ts'
import type { Send } from './send.ts'
import { sendByApi } from './send-by-api.ts'

type Ctx = Readonly<{ db: Db; send: Send; share: FairShare; hint: Hint }>

export function messageApiHandlers(ctx: Ctx): Pick<ApiHandlers, 'POST /v1/send_custom_channel_message'> {
  return {
    'POST /v1/send_custom_channel_message': async ({ caller: { accountId }, body, http }) => {
      const idempotencyKey = readIdempotencyKey(http, 'send')
      return sendByApi(ctx, { accountId, idempotencyKey, trace: readTraceparent(http.headers.traceparent) }, body)
    },
  }
}

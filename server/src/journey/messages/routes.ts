import { OutgoingAccepted, OutgoingMessage } from '@patchbay/contract/messages.ts'
import { type ApiCtx, callerOf } from '../../business/accounts/guard.ts'
import type { App } from '../../platform/http-app.ts'
import { readIdempotencyKey } from '../../platform/idempotency/idempotency-key.ts'
import type { Hint } from '../../platform/notify/hints.ts'
import { readTraceparent } from '../../platform/trace-context.ts'
import type { Send } from './send.ts'
import { sendByApi } from './send-by-api.ts'

/** Integrations in the field use both spellings. */
const paths = ['/send_custom_channel_message', '/send-custom-channel-message']

export function messageRoutes(app: App, { db, share, requireApiKey, hint }: ApiCtx & { hint: Hint }, send: Send): void {
  for (const path of paths) {
    app.post(
      path,
      {
        config: { errorShape: 'flat' },
        onRequest: requireApiKey,
        schema: {
          operationId: path === paths[0] ? 'sendMessage' : 'sendMessageAlias',
          tags: ['Messages'],
          summary: 'Send a message to a contact',
          description:
            'It is kept, and delivered to the address saved for replies. `Idempotency-Key` makes it safe to repeat.',
          hide: path !== paths[0],
          body: OutgoingMessage,
          response: { 200: OutgoingAccepted },
        },
      },
      async (request) => {
        const { accountId } = callerOf(request)
        return sendByApi(
          { db, send, share, hint },
          {
            accountId,
            idempotencyKey: readIdempotencyKey(request, 'send'),
            trace: readTraceparent(request.headers.traceparent),
          },
          request.body,
        )
      },
    )
  }
}

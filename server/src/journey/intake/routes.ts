import { limits } from '@patchbay/contract/limits.ts'
import { IncomingAccepted, IncomingMessage } from '@patchbay/contract/messages.ts'
import { callerOf, type Guard } from '../../business/accounts/guard.ts'
import type { App } from '../../platform/http-app.ts'
import { readTraceparent } from '../../platform/trace-context.ts'
import { readCustomMessage } from './custom-message.ts'
import type { Receive } from './receive.ts'

/** Integrations in the field use both spellings. */
const paths = ['/incoming_custom_channel_message', '/incoming-custom-channel-message']

export function intakeRoutes(app: App, requireApiKey: Guard, receive: Receive): void {
  for (const path of paths) {
    app.post(
      path,
      {
        config: { errorShape: 'flat', mayBeLarge: true },
        onRequest: requireApiKey,
        bodyLimit: limits.incomingBytes,
        schema: {
          operationId: path === paths[0] ? 'receiveMessage' : 'receiveMessageAlias',
          tags: ['Messages'],
          summary: 'Accept a message from an external system',
          description:
            'It is kept, and safe on disk, before the answer. A repeated messageSid gets the first answer again.',
          hide: path !== paths[0],
          body: IncomingMessage,
          response: { 200: IncomingAccepted },
        },
      },
      async (request) => {
        const trace = readTraceparent(request.headers.traceparent)
        return {
          success: true as const,
          messageId: await receive(callerOf(request), readCustomMessage(request.body), trace),
        }
      },
    )
  }
}

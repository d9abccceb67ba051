import type { ApiHandlers } from '../../business/accounts/handlers.ts'
import { readTraceparent } from '../../platform/trace-context.ts'
import { readCustomMessage } from './custom-message.ts'
import type { Receive } from './receive.ts'

type Routes = 'POST /v1/incoming_custom_channel_message'

export function intakeApiHandlers({ receive }: { receive: Receive }): Pick<ApiHandlers, Routes> {
  return {
    'POST /v1/incoming_custom_channel_message': async ({ caller, body, http }) => {
      const trace = readTraceparent(http.headers.traceparent)
      return { success: true, messageId: await receive(caller, readCustomMessage(body), trace) }
    },
  }
}

import type { IncomingMessage } from '@patchbay/contract/api/messages.ts'
import { given, givenName } from '@patchbay/contract/text.ts'
import type { ApiHandlers } from '../../business/accounts/handlers.ts'
import { Refusal } from '../../platform/refusal.ts'
import { parseEmail } from '../../platform/text/email.ts'
import { readTraceparent } from '../../platform/trace-context.ts'
import { checkBody, checkLabel } from '../messages/body.ts'
import type { Incoming } from './incoming.ts'
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

/** Reads a message that an external platform has posted; refuses what is no message. */
function readCustomMessage({ customData, messageType }: IncomingMessage): Incoming {
  const { fromId, toId, body } = customData
  const messageSid = given(customData.messageSid) ?? given(customData.id)
  if (messageSid?.trim() === '') throw new Refusal('INVALID_REQUEST', 'customData.messageSid must not be empty.')
  if (messageSid === undefined) throw new Refusal('INVALID_REQUEST', 'customData.messageSid is required.')
  const kind = readKind(given(messageType))
  checkBody(body)
  checkLabel(given(customData.channel), 'customData.channel')
  const url = given(customData.mediaUrl)
  return {
    messageSid,
    sender: {
      externalId: fromId,
      firstName: givenName(customData.firstName),
      lastName: givenName(customData.lastName),
      // A malformed address is left out: losing a customer's message over it would be worse.
      email: parseEmail(customData.email ?? ''),
    },
    kind,
    body,
    toId,
    status: given(customData.status) ?? 'received',
    channel: given(customData.channel),
    campaignId: given(customData.campaignId),
    file: url === undefined ? undefined : { url, contentType: given(customData.mediaContentType) },
  }
}

function readKind(messageType = 'text'): 'text' | 'reaction' {
  if (messageType === 'text' || messageType === 'reaction') return messageType
  throw new Refusal('INVALID_REQUEST', 'messageType must be text or reaction.')
}

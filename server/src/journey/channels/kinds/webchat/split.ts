import { chatLimits } from '@patchbay/contract/chat/protocol.ts'
import { Refusal } from '../../../../platform/refusal.ts'
import { shorten } from '../common/fields.ts'
import type { Content, Limits, Part } from '../kind.ts'

const { textUnits, fileBytes } = chatLimits

export const limits: Limits = {
  textUnits,
  captionUnits: textUnits,
  parts: 1,
  fileBytes: { image: fileBytes, other: fileBytes },
  incomingFileBytes: fileBytes,
}

const most = { buttons: 6, titleUnits: 60 }

/** Everything in one part: nothing divides it on its way. Whoever writes too much is told; the bot has nobody who could shorten it. */
export function split({ text, choices, file, replyTo, isByBot = false }: Content): Part[] {
  if (text.length > textUnits && !isByBot) {
    throw new Refusal(
      'INVALID_REQUEST',
      `The text is too long: a chat takes ${textUnits} characters, and it has ${text.length}.`,
    )
  }
  if (file && file.sizeBytes > fileBytes) {
    throw new Refusal('PAYLOAD_TOO_LARGE', `A chat takes files up to ${fileBytes / 1_048_576} MiB.`)
  }
  const buttons = choices.slice(0, most.buttons).map(({ id, title }) => ({ id, title: shortTitle(title) }))
  return [{ text, hasFile: file !== null, choices: buttons, replyTo }]
}

function shortTitle(title: string): string {
  return title.length <= most.titleUnits ? title : `${shorten(title, most.titleUnits - 1).trimEnd()}…`
}

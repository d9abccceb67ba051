import { Refusal } from '../../../../platform/refusal.ts'
import { shorten } from '../common/fields.ts'
import { splitText } from '../common/split-text.ts'
import type { Content, Limits, OutFile, Part, PartToSend, ProviderCall, ProviderKind } from '../kind.ts'
import { callMethod, callWithFile, type TelegramSecrets } from './calls.ts'

const mebibyte = 1_048_576

export const limits: Limits = {
  textUnits: 4_096,
  captionUnits: 1_024,
  parts: 10,
  fileBytes: { image: 10 * mebibyte, other: 50 * mebibyte },
  incomingFileBytes: 20 * mebibyte,
}

/** A file goes first, with the text as its caption if that fits; buttons are below what is said last. */
export function split({ text, choices, file, replyTo }: Content): Part[] {
  if (file) checkFile(file)
  const isCaption = file !== null && text.length <= limits.captionUnits
  const texts = isCaption ? [text] : [...(file ? [''] : []), ...splitText(text, limits.textUnits)]
  if (texts.length > limits.parts) {
    throw new Refusal('INVALID_REQUEST', `The text is too long: Telegram would show it as ${texts.length} messages.`)
  }
  return texts.map((one, n) => ({
    text: one,
    hasFile: file !== null && n === 0,
    choices: n === texts.length - 1 ? choices.map(({ id, title }) => ({ id, title: shortTitle(title) })) : [],
    replyTo: n === 0 ? replyTo : null,
  }))
}

function checkFile({ contentType, sizeBytes }: NonNullable<Content['file']>): void {
  const most = isPicture(contentType) ? limits.fileBytes.image : limits.fileBytes.other
  if (sizeBytes <= most) return
  throw new Refusal('PAYLOAD_TOO_LARGE', `Telegram takes such files up to ${most / mebibyte} MB.`)
}

/** A button of a phone shows some thirty characters. */
const titleUnits = 40

/** At a word. */
function shortTitle(title: string): string {
  if (title.length <= titleUnits) return title
  const cut = shorten(title, titleUnits - 1)
  return `${cut.replace(/\s+\S*$/, '') || cut}…`
}

/** No `parse_mode`, so nothing in a text means anything to Telegram. */
export function request(
  { part, address, file }: PartToSend,
  _settings: unknown,
  secrets: TelegramSecrets,
): ProviderCall {
  const parameters = {
    chat_id: address.address,
    reply_parameters: part.replyTo === null ? undefined : replyTo(part.replyTo),
    reply_markup: part.choices.length === 0 ? undefined : keyboard(part.choices),
  }
  if (!part.hasFile) {
    const preview = { is_disabled: true }
    return callMethod(secrets, 'sendMessage', { ...parameters, text: part.text, link_preview_options: preview })
  }
  if (!file) throw new Error('a part with a file was given none')
  const [method, name] = methodOf(file)
  const caption = part.text === '' ? undefined : part.text
  return callWithFile(secrets, method, { parameters: { ...parameters, caption }, file: [name, file] })
}

/** The id of ours is `<chat>/<message>`. A message that the person has deleted is no reason to say nothing. */
function replyTo(id: string) {
  return { message_id: Number(id.split('/').at(-1)), allow_sending_without_reply: true }
}

/** One below the other: titles are sentences. */
function keyboard(choices: Part['choices']) {
  return { inline_keyboard: choices.map(({ id, title }) => [{ text: title, callback_data: id }]) }
}

function methodOf({ contentType }: Pick<OutFile, 'contentType'>): [method: string, field: string] {
  if (isPicture(contentType)) return ['sendPhoto', 'photo']
  if (contentType === 'video/mp4') return ['sendVideo', 'video']
  if (contentType === 'audio/ogg') return ['sendVoice', 'voice']
  if (contentType === 'audio/mpeg' || contentType === 'audio/mp4') return ['sendAudio', 'audio']
  return ['sendDocument', 'document']
}

/** What Telegram shows as a picture; others of them are documents to it. */
function isPicture(contentType: string): boolean {
  return contentType === 'image/jpeg' || contentType === 'image/png' || contentType === 'image/webp'
}

export const acknowledge: ProviderKind<unknown, TelegramSecrets>['acknowledge'] = {
  request: (id, secrets) => callMethod(secrets, 'answerCallbackQuery', { callback_query_id: id }),
}

/** The sign lasts for five seconds, or until a message comes. */
export const typing: ProviderKind<unknown, TelegramSecrets>['typing'] = {
  everyMs: 4_000,
  request: ({ address }, secrets) => callMethod(secrets, 'sendChatAction', { chat_id: address, action: 'typing' }),
}

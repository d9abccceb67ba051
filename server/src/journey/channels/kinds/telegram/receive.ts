import { timingSafeEqual } from 'node:crypto'
import type { Answer, OutboundError } from '../../../../platform/outbound/call.ts'
import { parseLeniently } from '../../../../platform/request-body/parse-json.ts'
import { asFields, asList, asNumber, asText } from '../common/fields.ts'
import type { Fault, HookHeaders, HookSide, PollSide, ProviderEvent } from '../kind.ts'
import { faultOf, isTokenUnknown, readAnswer } from './answer.ts'
import { callMethod, type TelegramSecrets } from './calls.ts'
import type { TelegramSettings } from './connect.ts'
import { allowedUpdates, readUpdate } from './read.ts'

const secretHeader = 'x-telegram-bot-api-secret-token'

/** Telegram calls us: one update a request. */
export const hook: HookSide<TelegramSettings, TelegramSecrets> = {
  ports: [443, 80, 88, 8443],
  contentTypes: ['application/json'],
  mayBeAuthentic: hasSecret,
  isAuthentic: ({ headers }, secrets) => hasSecret(headers, secrets),
  read({ body, receivedAt }) {
    const update = parseLeniently(body)
    if (update !== undefined) return [readUpdate(update, receivedAt)]
    return [{ is: 'not read', why: 'it is no JSON', raw: body.toString('utf8') }]
  },
  answer: null,
  *look(_settings, secrets) {
    const answer = readAnswer(yield callMethod(secrets, 'getWebhookInfo'))
    if (answer.is !== 'ok') return faultOf(answer)
    const state = asFields(answer.result)
    const words = asText(state?.last_error_message)
    const at = (asNumber(state?.last_error_date) ?? 0) * 1_000
    return {
      url: asText(state?.url) || null,
      waiting: asNumber(state?.pending_update_count) ?? 0,
      lastError: words === undefined ? null : { at, words },
      found: null,
    }
  },
  *set(url, _settings, secrets) {
    const asked = { url, secret_token: secrets.secretToken, max_connections: 40, allowed_updates: allowedUpdates }
    return faultIn(yield callMethod(secrets, 'setWebhook', { ...asked, drop_pending_updates: false }))
  },
  *remove(_ours, _settings, secrets) {
    return faultIn(yield callMethod(secrets, 'deleteWebhook', { drop_pending_updates: false }))
  },
}

function hasSecret(headers: HookHeaders, { secretToken }: TelegramSecrets): boolean {
  const given = headers[secretHeader]
  if (typeof given !== 'string') return false
  const [one, other] = [Buffer.from(given), Buffer.from(secretToken)]
  return one.length === other.length && timingSafeEqual(one, other)
}

function faultIn(outcome: Answer | OutboundError): Fault | null {
  const answer = readAnswer(outcome)
  return answer.is === 'ok' ? null : faultOf(answer)
}

/** How long Telegram holds a request open when there is nothing, and how long we wait for it then. */
const longPollSeconds = 25
const briefPollSeconds = 2
const attemptMs = 35_000
/** A hundred updates with long texts and captions. */
const mostBytes = 8 * 1_048_576
const updatesAtOnce = 100
const retrySeconds = 3

/** We fetch from Telegram. Asking for what comes after an update confirms it: so that is done only when it is kept. */
export const poll: PollSide<TelegramSettings, TelegramSecrets> = {
  request(cursor, _settings, secrets, isBrief) {
    const timeout = isBrief ? briefPollSeconds : longPollSeconds
    const asked = { limit: updatesAtOnce, timeout, allowed_updates: allowedUpdates }
    const offset = cursor > 0n ? { offset: Number(cursor) } : {}
    return { ...callMethod(secrets, 'getUpdates', { ...asked, ...offset }), mostBytes, attemptMs }
  },
  judge(outcome, receivedAt) {
    const answer = readAnswer(outcome)
    if (answer.is === 'ok') return readUpdates(answer.result, receivedAt)
    if (answer.is === 'unknown') return { is: 'later', seconds: retrySeconds }
    if (answer.code === 409) return { is: 'conflict', quote: `${answer.code} ${answer.description}` }
    if (isTokenUnknown(answer)) return { is: 'broken', fault: faultOf(answer) }
    return { is: 'later', seconds: answer.retryAfter ?? retrySeconds }
  },
}

/** An update without a number cannot be confirmed by itself; the next one with a number confirms it. */
function readUpdates(result: unknown, receivedAt: number): ReturnType<typeof poll.judge> {
  const events: ProviderEvent[] = []
  let cursor: bigint | null = null
  for (const update of asList(result)) {
    events.push(readUpdate(update, receivedAt))
    const id = asFields(update)?.update_id
    if (!Number.isSafeInteger(id)) continue
    const next = BigInt(id as number) + 1n // checked in the line above
    if (cursor === null || next > cursor) cursor = next
  }
  return { is: 'events', events, cursor }
}

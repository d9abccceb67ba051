import { Refusal } from '../../../../platform/refusal.ts'
import { asFields, asId, asText, shorten } from '../common/fields.ts'
import type { Connect } from '../kind.ts'
import { faultOf, readAnswer } from './answer.ts'
import { callMethod, type TelegramSecrets } from './calls.ts'

export type TelegramSettings = { botId: string; username: string }

/** As @BotFather gives it: the bot's id, a colon, and letters. */
const tokenFormat = /^\d{1,20}:[A-Za-z0-9_-]{20,100}$/

const mostNameUnits = 100

export const connect: Connect<TelegramSettings, TelegramSecrets> = {
  readCredentials({ token }, newSecret) {
    const given = typeof token === 'string' ? token.trim() : ''
    if (!tokenFormat.test(given)) {
      throw new Refusal(
        'INVALID_REQUEST',
        'token must be the token of a bot as @BotFather shows it, such as 123456789:AAE… with some 35 letters.',
      )
    }
    return { token: given, secretToken: newSecret() }
  },
  *identify(secrets) {
    const answer = readAnswer(yield callMethod(secrets, 'getMe'))
    if (answer.is !== 'ok') return faultOf(answer)
    const bot = asFields(answer.result)
    const [botId, username] = [asId(bot?.id), asText(bot?.username)]
    if (botId === undefined || username === undefined || bot?.is_bot !== true) {
      const fault = 'Telegram answered, but not with a bot. Is this the token of a bot?'
      return { fault, quote: null, isTemporary: false }
    }
    const name = shorten(asText(bot.first_name) ?? username, mostNameUnits)
    return { providerKey: botId, name, address: `@${username}`, settings: { botId, username } }
  },
  *probe(_settings, secrets) {
    const answer = readAnswer(yield callMethod(secrets, 'getMe'))
    return answer.is === 'ok' ? null : faultOf(answer)
  },
  senders: null,
}

import type { Calls, Fault, HookSide, ProviderCall } from '../kind.ts'
import { faultOf, readAnswer } from './answer.ts'
import { callAccount, callMessaging, type SmsSecrets } from './calls.ts'
import type { SmsSettings } from './credentials.ts'
import { emptyFields, fieldsFor, isSame, type Place, placeOfNumber, placeOfService, readBefore } from './place.ts'
import { readHook } from './read.ts'
import { hasSignature, isSigned } from './signature.ts'

/** Twilio calls us: a message or a receipt a request, as a form. */
export const hook: HookSide<SmsSettings, SmsSecrets> = {
  ports: null,
  contentTypes: ['application/x-www-form-urlencoded', 'application/json'],
  mayBeAuthentic: (headers) => hasSignature(headers),
  isAuthentic: (request, { authToken }) => isSigned(request, authToken),
  read: readHook,
  answer: { contentType: 'text/xml', body: '<Response/>' },
  *look(settings, secrets) {
    const place = yield* readPlace(settings, secrets)
    if ('fault' in place) return place
    const { to, fields } = place
    const isAltered = to !== null && !isSame(fieldsFor(to, isService(settings)), fields)
    return { url: to, waiting: 0, lastError: null, found: to === null ? null : fields, isAltered }
  },
  *set(url, settings, secrets) {
    const answer = readAnswer(yield callPlace(settings, secrets, fieldsFor(url, isService(settings))))
    if (answer.is !== 'ok') return faultOf(answer, senderIsGone)
    const place = yield* readPlace(settings, secrets)
    if ('fault' in place) return place
    if (isSame(fieldsFor(url, isService(settings)), place.fields)) return null
    const quote = place.to === null ? null : `It now has ${place.to}`
    return {
      fault: 'Twilio has not kept our address at the sender. Look at it in its console.',
      quote,
      isTemporary: false,
    }
  },
  *remove({ url, before }, settings, secrets) {
    const place = yield* readPlace(settings, secrets)
    if ('fault' in place) return place
    if (place.to !== url) return null // somebody has set another one meanwhile
    const fields = readBefore(before, isService(settings)) ?? emptyFields(isService(settings))
    const answer = readAnswer(yield callPlace(settings, secrets, fields))
    return answer.is === 'ok' ? null : faultOf(answer, senderIsGone)
  },
}

const senderIsGone = { notThere: 'Twilio has no such sender any more.', check: 'sender' } as const

const isService = ({ serviceSid }: SmsSettings) => serviceSid !== null

function* readPlace(settings: SmsSettings, secrets: SmsSecrets): Calls<Place | Fault> {
  const answer = readAnswer(yield callPlace(settings, secrets))
  if (answer.is !== 'ok') return faultOf(answer, senderIsGone)
  return isService(settings) ? placeOfService(answer.result) : placeOfNumber(answer.result)
}

function callPlace({ numberSid, serviceSid }: SmsSettings, secrets: SmsSecrets, form?: Place['fields']): ProviderCall {
  const call = { operation: form ? 'set its address' : 'its address', ...(form && { form }) }
  if (numberSid === null) return callMessaging(secrets, `/${serviceSid}`, call)
  const list = numberSid.startsWith('SC') ? 'SMS/ShortCodes' : 'IncomingPhoneNumbers'
  return callAccount(secrets, `/${list}/${numberSid}.json`, call)
}

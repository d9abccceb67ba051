import { asFields, asText } from '../common/fields.ts'
import type { ProviderKind } from '../kind.ts'
import { faultOf, isTokenUnknown, readAnswer } from './answer.ts'
import { callMethod, type TelegramSecrets } from './calls.ts'
import { limits } from './request.ts'

/** A file has a path for an hour; the address that is made of it has the token in it. */
export const files: ProviderKind<unknown, TelegramSecrets>['files'] = {
  locate: ({ id }, secrets) => callMethod(secrets, 'getFile', { file_id: id }),
  download(outcome, { token }) {
    const answer = readAnswer(outcome)
    if (answer.is !== 'ok') {
      const isForGood = answer.is === 'refused' && answer.code === 400
      return { fault: faultOf(answer).quote ?? '', retries: !isForGood && !isTokenUnknown(answer) }
    }
    const path = asText(asFields(answer.result)?.file_path)
    if (path === undefined || !isPlainPath(path)) return { fault: 'Telegram named no file.', retries: false }
    return {
      origin: 'api',
      path: `/file/bot${token}/${path}`,
      method: 'GET',
      headers: {},
      operation: 'download',
      mostBytes: limits.incomingFileBytes,
    }
  },
}

/** It becomes part of an address: nothing in it may lead elsewhere. */
function isPlainPath(path: string): boolean {
  return /^[\w][\w./-]*$/.test(path) && !path.includes('..')
}

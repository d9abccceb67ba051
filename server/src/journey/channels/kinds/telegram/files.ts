import { readDownload } from '../common/download.ts'
import { asFields, asText } from '../common/fields.ts'
import type { ProviderKind } from '../kind.ts'
import { isTokenUnknown, readAnswer } from './answer.ts'
import { callMethod, type TelegramSecrets } from './calls.ts'
import { limits } from './request.ts'

/** A file has a path for an hour; the address that is made of it has the token in it. */
export const files: ProviderKind<unknown, TelegramSecrets>['files'] = {
  leave: 'with the request',
  *download({ id }, _settings, secrets) {
    const answer = readAnswer(yield callMethod(secrets, 'getFile', { file_id: id }))
    if (answer.is !== 'ok') {
      const isForGood = answer.is === 'refused' && (answer.code === 400 || isTokenUnknown(answer))
      return { state: isForGood ? 'gone' : 'unreachable' }
    }
    const path = asText(asFields(answer.result)?.file_path)
    if (path === undefined || !isPlainPath(path)) return { state: 'gone' }
    return readDownload(
      yield {
        origin: 'api',
        path: `/file/bot${secrets.token}/${path}`,
        method: 'GET',
        headers: {},
        operation: 'download',
        mostBytes: limits.incomingFileBytes,
      },
    )
  },
}

/** It becomes part of an address: nothing in it may lead elsewhere. */
function isPlainPath(path: string): boolean {
  return /^[\w][\w./-]*$/.test(path) && !path.includes('..')
}

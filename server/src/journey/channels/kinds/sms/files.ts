import { OutboundError } from '../../../../platform/outbound/call.ts'
import { readDownload } from '../common/download.ts'
import type { ProviderKind } from '../kind.ts'
import { callAccount, type SmsSecrets } from './calls.ts'
import { limits } from './request.ts'

/**
 * A file lies under the ids of its message and itself; from there Twilio leads to where it is kept, which is called without
 * credentials. In the first seconds it may not be there yet.
 */
export const files: ProviderKind<unknown, SmsSecrets>['files'] = {
  leave: 'by a link',
  *download({ id }, _settings, secrets) {
    const [, message, media] = /^((?:SM|MM)[\da-f]{32})\/(ME[\da-f]{32})$/i.exec(id) ?? []
    if (message === undefined || media === undefined) return { state: 'gone' }
    const operation = 'download'
    const mostBytes = limits.incomingFileBytes
    const answer = yield callAccount(secrets, `/Messages/${message}/Media/${media}`, { operation, mostBytes })
    const ledTo =
      answer instanceof OutboundError || answer.status < 300 || answer.status > 399
        ? undefined
        : answer.headers.location
    if (typeof ledTo !== 'string') return readDownload(answer)
    return readDownload(yield { origin: 'api', path: '/', ledTo, method: 'GET', headers: {}, operation, mostBytes })
  },
}

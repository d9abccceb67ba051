import { providerKinds } from '@patchbay/contract/channels.ts'
import { OperatorError } from '../operator-error.ts'

/** What the operator set in place of a provider's origin: a self-hosted one, or a peer of a test. By `kind.origin`. */
export type ChannelOrigins = ReadonlyMap<string, string>

/** Reads CHANNEL_ORIGINS, a list such as `telegram=http://127.0.0.1:8081`; a kind alone means its origin `api`. */
export function readChannelOrigins(text: string | undefined): ChannelOrigins {
  const entries = (text ?? '').split(',').map((entry) => entry.trim())
  return new Map(entries.filter((entry) => entry !== '').map(readEntry))
}

function readEntry(entry: string): [name: string, url: string] {
  const [, kind = '', origin = 'api', address = ''] = /^([a-z]+)(?:\.([a-z]+))?=(\S+)$/.exec(entry) ?? []
  const url = URL.parse(address)
  const isPlain = url && /^https?:$/.test(url.protocol) && !url.search && !url.hash && !url.username && !url.password
  if (isPlain && providerKinds.some((one) => one === kind)) return [`${kind}.${origin}`, url.href.replace(/\/+$/, '')]
  throw new OperatorError(
    `CHANNEL_ORIGINS must be a list such as telegram=http://127.0.0.1:8081; "${entry}" is none of this form.`,
  )
}

import { allowedBy } from '@patchbay/contract/model-connections.ts'
import { isPublic } from '../../platform/outbound/addresses.ts'
import { OutboundError } from '../../platform/outbound/call.ts'
import { hostOf, portOf, readTarget } from '../../platform/outbound/check-target.ts'
import type { Outbound } from '../../platform/outbound/client.ts'

/** Why an address may not be called, in words; undefined when it may. Of a private one, also how it can be allowed. */
export async function whyNotCalled(outbound: Outbound, url: string): Promise<string | undefined> {
  try {
    await outbound.check(url)
    return undefined
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    return (error.category === 'blocked_address' && ofPrivate(url)) || error.message
  }
}

function ofPrivate(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined
  try {
    const target = readTarget(url)
    const address = hostOf(target) === 'localhost' ? '127.0.0.1' : hostOf(target)
    if (!/^[\d.]+$|:/.test(address) || isPublic(address)) return undefined
    const sentence = `${hostOf(target)} is a private address, so it was not called.`
    const network = networkOf(address)
    return network ? `${sentence}${allowedBy}OUTBOUND_ALLOWED_NETWORKS=${network}:${portOf(target)}` : sentence
  } catch {
    return undefined // it is refused for another reason
  }
}

function networkOf(address: string): string | undefined {
  if (address.includes(':')) return `[${address}/128]`
  if (address.startsWith('169.254.')) return undefined // where clouds give out their keys: nobody should allow it
  if (address.startsWith('127.')) return `${address}/32`
  return `${address.split('.').slice(0, 3).join('.')}.0/24`
}

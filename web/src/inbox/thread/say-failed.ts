import type { Message } from '@patchbay/contract/app/messages.ts'
import { deliveryErrorWords, sayCause } from '../../ui/delivery-error-words.ts'
import { specialWords } from './special-words.ts'
import { tickOf } from './tick.ts'

/** What readers hear of a reply that has not arrived, or may not have. */
export function sayFailed({ delivery }: Message): string {
  const tick = delivery && tickOf(delivery)
  if (tick === 'in doubt') return `${specialWords.doubt.title} ${specialWords.doubt.left}`
  const title = tick === 'not sent' ? deliveryErrorWords.notSent : deliveryErrorWords.notDelivered
  return `${title} ${delivery?.fault ? sayCause(delivery.fault) : ''}`
}

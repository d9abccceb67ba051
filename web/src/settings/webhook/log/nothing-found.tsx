import type { deliveryFilters } from '@patchbay/contract/app/webhook.ts'
import { Empty } from '../../../ui/empty.tsx'
import { deliveryWords as words } from './words.ts'

const says = {
  all: [words.none, words.noneHint],
  failed: [words.noneFailed, words.noneFailedHint],
  waiting: [words.noneWaiting, words.noneWaitingHint],
  sent: [words.noneSent, words.noneSentHint],
} as const

export function NothingFound({ filter, q }: { filter: (typeof deliveryFilters)[number]; q: string }) {
  const [title, hint] = q === '' ? says[filter] : [words.noneFound(q), words.noneFoundHint]
  return <Empty card title={title} says={hint} />
}

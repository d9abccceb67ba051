import type { Counts } from '@patchbay/contract/app/conversations.ts'
import { shellWords as words } from './words.ts'

type InNeed = {
  /** What is said of each. */
  needs: readonly string[]
} & ({ to: '/channels' | '/settings/webhook' } | { to: '/channels/$channelId'; params: { channelId: string } })

/** Which channels need somebody, and where one sees why: at the channel, or at the table where there are several or none. */
export function channelsInNeed(
  counts: Pick<Counts, 'receiver' | 'failuresInRow' | 'channelsInNeed'> | undefined,
): InNeed {
  const { receiver, failuresInRow = 0, channelsInNeed: found = [] } = counts ?? {}
  const builtIn = found.map(({ name, isHeld }) => (isHeld ? words.channelHeld(name) : words.channelNeeds(name)))
  const custom =
    receiver === 'failing' ? [words.receiverFails(failuresInRow)] : receiver === 'gone' ? [words.receiverGone] : []
  const needs = [...builtIn, ...custom]
  if (needs.length !== 1) return { needs, to: '/channels' }
  const [only] = found
  return only
    ? { needs, to: '/channels/$channelId', params: { channelId: only.id } }
    : { needs, to: '/settings/webhook' }
}

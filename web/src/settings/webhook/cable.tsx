import type { Webhook } from '@patchbay/contract/app/receivers.ts'
import Pause from 'lucide-react/icons/pause'
import Unplug from 'lucide-react/icons/unplug'
import { clockTime, duration } from '../../ui/format-time.ts'
import { Path, PathEnd, Wire } from '../../ui/path.tsx'
import { Tag } from '../../ui/tag.tsx'
import { useIsBack } from '../../ui/use-is-back.ts'
import { useMedia } from '../../ui/use-media.ts'
import { useNow } from '../../ui/use-now.ts'
import { shortCause } from './log/short-cause-words.ts'
import { proofOf } from './proof-of.ts'
import { webhookWords as words } from './words.ts'

/** The connection between us and the receiver, with the cause on it while it is cut. It is drawn once when it is back. */
export function Cable({ webhook }: { webhook: Webhook | null }) {
  const state = webhook?.state ?? 'none'
  const isBack = useIsBack(state === 'working')
  const isBad = state === 'failing' || state === 'gone'
  const isNarrow = useMedia('(width < 640px)')
  const wire = isBad ? 'cut-off' : state === 'paused' ? 'held' : state === 'none' ? 'loose' : 'whole'
  return (
    <Path upright={isNarrow}>
      <PathEnd tone="ok" name={words.us} says={webhook ? words.owed(webhook.owed) : ''} />
      <Wire state={wire} isDrawn={isBack}>
        {webhook && <WireTag webhook={webhook} />}
      </Wire>
      <PathEnd
        tone={isBad ? 'fail' : webhook && proofOf(webhook) === 'works' ? 'ok' : 'off'}
        name={webhook ? hostOf(webhook.url) : words.yourServer}
        isMono={webhook !== null}
        says={webhook ? <LastTook webhook={webhook} /> : words.noAddress}
      />
    </Path>
  )
}

/** The latest success: that of the receiver is noted at most once a minute. */
function LastTook({ webhook: { lastSuccessAt, attempts } }: { webhook: Webhook }) {
  const now = useNow('minute')
  const taken = [lastSuccessAt, attempts.findLast(({ ok }) => ok)?.at]
    .filter((at) => at != null)
    .sort()
    .at(-1)
  if (taken === undefined) return words.neverTook
  return (
    <>
      {words.lastTook} <time dateTime={taken}>{clockTime(new Date(taken), now)}</time>
    </>
  )
}

function WireTag({ webhook: { state, failingSince, lastFault } }: { webhook: Webhook }) {
  const now = useNow('second')
  if (state === 'paused') {
    return (
      <Tag tone="wait">
        <Pause className="i i-14" />
        {words.pausedTag}
      </Tag>
    )
  }
  if (state !== 'failing' && state !== 'gone') return null
  const cause = state === 'gone' ? words.goneTag : lastFault ? shortCause(lastFault) : ''
  const text = failingSince ? words.tagFor(cause, duration(now.getTime() - Date.parse(failingSince))) : cause
  return (
    <Tag tone="fail">
      <Unplug className="i i-14" />
      {text}
    </Tag>
  )
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url
}

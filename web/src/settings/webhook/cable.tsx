import type { Webhook } from '@patchbay/contract/app/receivers.ts'
import Pause from 'lucide-react/icons/pause'
import Unplug from 'lucide-react/icons/unplug'
import { useEffect, useRef, useState } from 'react'
import { classes } from '../../ui/classes.ts'
import { clockTime, duration } from '../../ui/format-time.ts'
import { Tag } from '../../ui/tag.tsx'
import { useNow } from '../../ui/use-now.ts'
import { shortCause } from './log/short-cause-words.ts'
import { proofOf } from './proof-of.ts'
import { webhookWords as words } from './words.ts'

/** The connection between us and the receiver, with the cause on it while it is cut. It is drawn once when it is back. */
export function Cable({ webhook }: { webhook: Webhook | null }) {
  const state = webhook?.state ?? 'none'
  const isBack = useIsBack(state)
  const isBad = state === 'failing' || state === 'gone'
  return (
    <div className="path">
      <End tone="ok" name={words.us} says={webhook ? words.owed(webhook.owed) : ''} />
      <span
        className={classes(
          'wire',
          isBad && 'cut-off',
          state === 'paused' && 'held',
          state === 'none' && 'loose',
          isBack && 'drawn',
        )}
      >
        {webhook && <WireTag webhook={webhook} />}
      </span>
      <End
        tone={isBad ? 'fail' : webhook && proofOf(webhook) === 'works' ? 'ok' : 'off'}
        name={webhook ? hostOf(webhook.url) : words.yourServer}
        isMono={webhook !== null}
        says={webhook ? <LastTook webhook={webhook} /> : words.noAddress}
      />
    </div>
  )
}

function End({
  tone,
  name,
  says,
  isMono = false,
}: {
  tone: 'ok' | 'fail' | 'off'
  name: string
  says: React.ReactNode
  isMono?: boolean
}) {
  return (
    <span className="row row-3 path-end">
      <span className={`jackbig ${tone}`} aria-hidden="true" />
      <span className="path-name">
        <b className={classes('strong', isMono && 'mono')}>{name}</b>
        <span className="small muted">{says}</span>
      </span>
    </span>
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

/** Returns true from the moment on when a receiver that was failing takes replies again. */
function useIsBack(state: string): boolean {
  const before = useRef(state)
  const [isBack, setBack] = useState(false)
  useEffect(() => {
    if (state === 'working' && before.current !== 'working') setBack(true)
    if (state !== 'working') setBack(false)
    before.current = state
  }, [state])
  return isBack
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url
}

import './parts.css'
import type { ChannelCheck } from '@patchbay/contract/app/channels.ts'
import Check from 'lucide-react/icons/check'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import type { ReactNode } from 'react'
import { classes } from '../../ui/classes.ts'
import { channelWords as words } from '../words.ts'

type Props = {
  checks: readonly ChannelCheck[]
  /** What we can do about one that fails: one button. */
  act?: (check: ChannelCheck) => ReactNode
  /** Its time or finding, at the right. */
  aside?: (check: ChannelCheck) => ReactNode
}

/** What was found when a channel was looked at: of what fails its provider's own words, what to do, and a button. */
export function Checks({ checks, act, aside }: Props) {
  return (
    <ul className="findings" aria-label={words.checks} aria-live="polite">
      {checks.map((check) => {
        const [title, next] = inTwo(check.sentence)
        const isFailing = check.state === 'failing'
        const button = isFailing && act?.(check)
        return (
          <li className={classes('finding', check.state)} key={check.name}>
            <span className="finding-sign" aria-hidden="true">
              {check.state === 'done' && <Check className="i" />}
              {isFailing && <TriangleAlert className="i" />}
            </span>
            <div>{isFailing ? <b className="strong">{title}</b> : check.sentence}</div>
            <span className="finding-aside">{aside?.(check)}</span>
            {(check.quote !== null || (isFailing && next !== '') || button) && (
              <div className="finding-more">
                {check.quote !== null && <Quote>{check.quote}</Quote>}
                {isFailing && next !== '' && <p>{next}</p>}
                {button && <div className="row wrap">{button}</div>}
              </div>
            )}
          </li>
        )
      })}
    </ul>
  )
}

/** What a provider said, word for word. */
export function Quote({ children }: { children: string }) {
  return (
    <p className="channel-quote">
      <bdi>{children}</bdi>
    </p>
  )
}

/** What is wrong, and what to do about it. */
function inTwo(sentence: string): [what: string, next: string] {
  const end = sentence.search(/[.?] /)
  return end < 0 ? [sentence, ''] : [sentence.slice(0, end + 1), sentence.slice(end + 2)]
}

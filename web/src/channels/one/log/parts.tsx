import type { ChannelDelivery } from '@patchbay/contract/app/channels.ts'
import Check from 'lucide-react/icons/check'
import CheckCheck from 'lucide-react/icons/check-check'
import CircleQuestionMark from 'lucide-react/icons/circle-question-mark'
import Clock from 'lucide-react/icons/clock'
import X from 'lucide-react/icons/x'
import type { ReactNode } from 'react'
import { classes } from '../../../ui/classes.ts'
import { Time } from '../../../ui/time.tsx'
import { Quote } from '../../parts/checks.tsx'
import { stateOf } from './say-state.ts'
import { logWords as words } from './words.ts'

type Part = ChannelDelivery['parts'][number]
type Props = { parts: readonly Part[]; delivery: ChannelDelivery['delivery']; kind: string }

/** The requests of which a message consists: what each said, and how far it came. */
export function Parts({ parts, delivery }: Props) {
  if (parts.length === 0) return null
  const state = stateOf(delivery)
  const mayLeave = state === 'waiting' || state === 'held' || delivery.nextAttemptAt !== null
  return (
    <div>
      <h4 className="label">{words.parts(parts.length)}</h4>
      <ol className="message-parts">
        {parts.map((part) => (
          <li key={part.n} className="message-parts-one" aria-label={words.part(part.n, parts.length)}>
            <Text>{part.text}</Text>
            <ul className="small">
              <State part={part} mayLeave={mayLeave} />
              {part.deliveredAt !== null && (
                <Line Icon={CheckCheck} tone="ok">
                  {words.delivered} <Time at={part.deliveredAt} as="second" />
                </Line>
              )}
              {part.readAt !== null && (
                <Line Icon={CheckCheck} tone="ok">
                  {words.read} <Time at={part.readAt} as="second" />
                </Line>
              )}
              {part.resentAt !== null && (
                <Line Icon={CircleQuestionMark} tone="wait">
                  {words.resentAt} <Time at={part.resentAt} as="second" />
                </Line>
              )}
            </ul>
            {part.acceptedAt === null && part.detail !== null && (
              <Quote>{part.code === null ? part.detail : `${part.code} ${part.detail}`}</Quote>
            )}
          </li>
        ))}
      </ol>
    </div>
  )
}

/** What is longer than a few lines is scrolled. */
const longCharacters = 700

function Text({ children }: { children: string }) {
  if (children === '') return <p className="muted">{words.noText}</p>
  const isLong = children.length > longCharacters
  return (
    <p
      dir="auto"
      className={classes('message-parts-text', isLong && 'message-parts-long')}
      {...(isLong && { tabIndex: 0 })}
    >
      {children}
    </p>
  )
}

function State({ part: { acceptedAt, failedAt, doubtSince }, mayLeave }: { part: Part; mayLeave: boolean }) {
  if (acceptedAt !== null) {
    return (
      <Line Icon={Check} tone="ok">
        {words.taken} <Time at={acceptedAt} as="second" />
      </Line>
    )
  }
  if (failedAt !== null) {
    return (
      <Line Icon={X} tone="fail">
        {words.failedAt} <Time at={failedAt} as="second" />
      </Line>
    )
  }
  if (doubtSince !== null) {
    return (
      <Line Icon={CircleQuestionMark} tone="wait">
        {words.doubtSince} <Time at={doubtSince} as="second" />
      </Line>
    )
  }
  return mayLeave ? (
    <Line Icon={Clock} tone="muted">
      {words.notYet}
    </Line>
  ) : (
    <Line Icon={X} tone="fail">
      {words.not}
    </Line>
  )
}

function Line({
  Icon,
  tone,
  children,
}: {
  Icon: typeof Check
  tone: 'ok' | 'wait' | 'fail' | 'muted'
  children: ReactNode
}) {
  return (
    <li className={`row ${tone}`}>
      <Icon className="i i-14" />
      <span>{children}</span>
    </li>
  )
}

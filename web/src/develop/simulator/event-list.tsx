import type { SimulatorEvent } from '@patchbay/contract/app/simulator.ts'
import ArrowDownLeft from 'lucide-react/icons/arrow-down-left'
import ArrowUpRight from 'lucide-react/icons/arrow-up-right'
import Bot from 'lucide-react/icons/bot'
import ShieldCheck from 'lucide-react/icons/shield-check'
import ShieldX from 'lucide-react/icons/shield-x'
import { useState } from 'react'
import { classes } from '../../ui/classes.ts'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Empty } from '../../ui/empty.tsx'
import { PrettyJson } from '../../ui/pretty-json.tsx'
import { Tag } from '../../ui/tag.tsx'
import { Time } from '../../ui/time.tsx'
import { simulatorWords as words } from './words.ts'

const icons = { incoming: ArrowDownLeft, 'incoming again': ArrowDownLeft, decision: Bot, reply: ArrowUpRight }

/** What went in and out, newest first; a post to the receiver opens under the list. */
export function EventList({ events }: { events: SimulatorEvent[] }) {
  const [chosen, choose] = useState<string | null>(null)
  const posts = events.filter(({ post }) => post !== null)
  const shown = posts.find(({ id }) => id === chosen) ?? posts[0]
  if (events.length === 0) return <Empty title={words.noEvents} says={words.noEventsSay} />
  return (
    <>
      <ul className="events">
        {events.map((event) => (
          <li key={event.id}>
            <EventRow event={event} isShown={event.id === shown?.id} choose={choose} />
          </li>
        ))}
      </ul>
      {shown?.post && <Post event={shown} post={shown.post} />}
    </>
  )
}

type RowProps = { event: SimulatorEvent; isShown: boolean; choose: (id: string) => void }

function EventRow({ event, isShown, choose }: RowProps) {
  const { id, at, kind, outcome, durationMs, post } = event
  const Icon = icons[kind]
  const isBad = kind === 'reply' && outcome !== '200'
  const text = kind === 'decision' ? words.decided(outcome) : words.kinds[kind]
  const cells = (
    <>
      <Time at={at} as="second" className="mono faint" />
      <Icon className="ev-icon" aria-hidden />
      <span className="cut">{text}</span>
      <span className={classes('mono', isBad && 'ev-fail')}>{kind === 'decision' ? '' : outcome}</span>
      <span className="mono faint ev-ms">{durationMs === null ? '' : words.ms(durationMs)}</span>
    </>
  )
  if (!post) return <div className="ev">{cells}</div>
  return (
    <button type="button" className={classes('ev', isShown && 'on')} aria-pressed={isShown} onClick={() => choose(id)}>
      {cells}
    </button>
  )
}

function Post({ event, post }: { event: SimulatorEvent; post: NonNullable<SimulatorEvent['post']> }) {
  const head = post.headers.map(({ name, value }) => `${name}: ${value}`).join('\n')
  const text = `POST\n${head}\n\n${post.body}`
  return (
    <div className="sim-post stack">
      <div className="row between">
        <h3>{words.kinds[event.kind]}</h3>
        <Tag tone={post.isSignatureValid ? 'ok' : 'fail'}>
          {post.isSignatureValid ? <ShieldCheck className="i" /> : <ShieldX className="i" />}
          {post.isSignatureValid ? words.signed : words.notSigned}
        </Tag>
      </div>
      <CodeBlock text={text} label={words.copyPost} wraps>
        <span className="code-name">POST</span>
        {'\n'}
        {post.headers.map(({ name, value }) => (
          <span key={name}>
            {name}: <span className="code-text">{value}</span>
            {'\n'}
          </span>
        ))}
        {'\n'}
        <PrettyJson text={post.body} />
      </CodeBlock>
    </div>
  )
}

import '../../../channels/connect/connect.css'
import '../website-chat.css'
import Check from 'lucide-react/icons/check'
import type { PageChat } from '../../../channels/data/chat-of.ts'
import { CodeBlock } from '../../../ui/code-block.tsx'
import { StatusDot } from '../../../ui/status-dot.tsx'
import { Time } from '../../../ui/time.tsx'
import { chatWords as words } from '../words.ts'

/** What goes into the page. */
export function TheLine({ line }: { line: string }) {
  const [, address] = /src="([^"]+)"/.exec(line) ?? []
  return (
    <div className="chat-set-line">
      <CodeBlock text={line} label={words.copyLine} wraps>
        {address ? (
          <>
            {'<'}
            <span className="code-name">script</span>
            {' async src='}
            <span className="code-text">"{address}"</span>
            {'></'}
            <span className="code-name">script</span>
            {'>'}
          </>
        ) : (
          line
        )}
      </CodeBlock>
    </div>
  )
}

/** Whether a page has asked for it; it turns green by itself. */
export function SeenOn({ channel: { chat, use } }: { channel: PageChat }) {
  if (!chat.seen) return <Listening />
  return (
    <p className="connect-listen heard" role="status">
      <Check className="i" />
      <span className="grow">
        <bdi>{words.seen(chat.seen.host)}</bdi> <Time at={chat.seen.at} />. {words.today(use.today.in)}
      </span>
    </p>
  )
}

/** No page has asked for it yet. */
export function Listening() {
  return (
    <p className="connect-listen" role="status">
      <StatusDot state="ok" />
      {words.listening}
    </p>
  )
}

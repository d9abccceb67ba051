import './bubble.css'
import type { Message } from '@patchbay/contract/app/messages.ts'
import { classes } from '../../ui/classes.ts'
import { exactTime } from '../../ui/format-time.ts'
import { useStores } from '../data/stores.ts'
import { inboxWords as words } from '../words.ts'
import { Attachment } from './attachment.tsx'
import { DeliveryErrorBox } from './delivery-error-box.tsx'
import { Receipt } from './receipt.tsx'
import { Text } from './text.tsx'

/** One message with its file, its reactions, what became of it, and its receipt if it is the last of its group. */
export function Bubble({
  message,
  reactions,
  hasReceipt,
  rises,
  name,
  isLatestAnswer,
  isLatestFailed,
}: {
  message: Message
  reactions: readonly Message[]
  hasReceipt: boolean
  /** Whether the message has just arrived. */
  rises: boolean
  name: string
  isLatestAnswer: boolean
  isLatestFailed: boolean
}) {
  const { me } = useStores()
  const isMine = message.userId === me.user.id
  const isOut = message.direction === 'outgoing'
  const isFailed = message.delivery?.status === 'Failed'
  return (
    <article
      className={classes('bubble', isOut && 'out', isOut && message.author, isFailed && 'failed', rises && 'rises')}
      data-anchor=""
      data-message={message.id}
    >
      {message.file && <Attachment messageId={message.id} file={message.file} />}
      {message.body !== '' && (
        <div className={classes('bubble-box', message.kind === 'reaction' && 'lone-reaction')}>
          <span className="sr">{isMine ? words.you : sayAuthor(message, name)}: </span>
          <Text body={message.body} />
          {reactions.length > 0 && <Reactions reactions={reactions} name={name} />}
        </div>
      )}
      {isFailed && <DeliveryErrorBox message={message} isLatest={isLatestFailed} />}
      {(hasReceipt || isFailed) && <Receipt message={message} isLatestAnswer={isLatestAnswer} />}
    </article>
  )
}

function sayAuthor({ author, userName }: Message, name: string): string {
  if (author === 'contact') return name
  return author === 'bot' ? words.bot : author === 'api' ? words.api : (userName ?? words.person)
}

function Reactions({ reactions, name }: { reactions: readonly Message[]; name: string }) {
  const bodies = [...new Set(reactions.map(({ body }) => body))]
  const last = reactions.at(-1)
  return (
    <span
      className="reaction"
      title={last && `${words.reacted(name)}, ${exactTime(new Date(last.createdAt))}`}
      data-count={reactions.length}
    >
      {bodies.slice(0, 5).join(' ').slice(0, 40)}
      <span className="sr"> {words.reacted(name)}</span>
    </span>
  )
}

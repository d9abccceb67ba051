import './bubble.css'
import type { Message } from '@patchbay/contract/app/messages.ts'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { classes } from '../../ui/classes.ts'
import { exactTime } from '../../ui/format-time.ts'
import { useStores } from '../data/stores.ts'
import { inboxWords as words } from '../words.ts'
import { Attachment } from './attachment.tsx'
import { Receipt } from './receipt.tsx'
import { Text } from './text.tsx'
import type { ThreadItem } from './thread-items.ts'
import { isTold, tickOf } from './tick.ts'

// What only built-in channels bring is loaded with the first message of one.
const loadSpecial = () => import('./special.tsx')
const Quote = lazy(() => loadSpecial().then(({ Quote }) => ({ default: Quote })))
const Choices = lazy(() => loadSpecial().then(({ Choices }) => ({ default: Choices })))
const Place = lazy(() => loadSpecial().then(({ Place }) => ({ default: Place })))
const Gone = lazy(() => loadSpecial().then(({ Gone }) => ({ default: Gone })))
const FirstText = lazy(() => loadSpecial().then(({ FirstText }) => ({ default: FirstText })))
const Aside = lazy(() => loadSpecial().then(({ Aside }) => ({ default: Aside })))
// Most replies arrive.
const DeliveryErrorBox = lazy(() =>
  import('./delivery-error-box.tsx').then(({ DeliveryErrorBox }) => ({ default: DeliveryErrorBox })),
)
const ChannelDeliveryBox = lazy(() =>
  import('./channel-delivery-box.tsx').then(({ ChannelDeliveryBox }) => ({ default: ChannelDeliveryBox })),
)

type Props = Omit<Extract<ThreadItem, { kind: 'message' }>, 'kind' | 'key'> & {
  /** Whether the message has just arrived. */
  rises: boolean
  name: string
  isLatestAnswer: boolean
  isLatestFailed: boolean
}

/** One message with its file, its reactions, what became of it, and its receipt if it is the last of its group. */
export function Bubble(props: Props) {
  const { message, reactions, tapped, news, hasReceipt, channelShown, rises, name, isLatestAnswer, isLatestFailed } =
    props
  const { delivery, details } = message
  const tick = delivery && tickOf(delivery)
  const isOut = message.direction === 'outgoing'
  const [isBefore, showBefore] = useState(false)
  const choices = delivery?.overChannel?.choices ?? []
  return (
    <article
      className={classes('bubble', isOut && 'out', isOut && message.author, tick && looks[tick], rises && 'rises')}
      data-anchor=""
      data-message={message.id}
    >
      <Content message={message} name={name} isBefore={isBefore}>
        {reactions.length > 0 && <Reactions reactions={reactions} name={name} />}
      </Content>
      <Suspense>{choices.length > 0 && <Choices choices={choices} tapped={tapped} name={name} />}</Suspense>
      {tick && isTold(tick) && <Box message={message} isLatest={isLatestFailed} />}
      {(hasReceipt || (tick && isTold(tick))) && (
        <Receipt message={message} channelShown={channelShown} isLatestAnswer={isLatestAnswer}>
          {details && (
            <Suspense>
              <Aside details={details} news={news} isBefore={isBefore} showBefore={showBefore} />
            </Suspense>
          )}
        </Receipt>
      )}
    </article>
  )
}

const looks = {
  ...{ waiting: undefined, held: undefined, sent: undefined, delivered: undefined, read: undefined },
  ...{ 'in doubt': 'in-doubt', 'not sent': 'not-sent', failed: 'failed' },
} as const

function Box({ message, isLatest }: { message: Message; isLatest: boolean }) {
  const BoxOfWay = message.delivery?.overChannel ? ChannelDeliveryBox : DeliveryErrorBox
  return (
    <Suspense>
      <BoxOfWay message={message} isLatest={isLatest} />
    </Suspense>
  )
}

type ContentProps = { message: Message; name: string; isBefore: boolean; children: ReactNode }

/** What was said, in whatever way; `children` sit on its edge. It is never empty. */
function Content({ message, name, isBefore, children }: ContentProps) {
  const { me } = useStores()
  const { file, body, details, id } = message
  const isMine = message.userId === me.user.id
  const says = <span className="sr">{isMine ? words.you : sayAuthor(message, name)}: </span>
  if (details?.takenBackAt || (body === '' && !file)) {
    return (
      <Suspense>
        <Gone name={name} at={details?.takenBackAt ?? null} />
      </Suspense>
    )
  }
  if (details?.place) {
    return (
      <Suspense>
        {details.replyTo && <Quote contactId={message.contactId} quoted={details.replyTo} name={name} />}
        <Place place={details.place}>{children}</Place>
      </Suspense>
    )
  }
  const isSticker = details?.described === 'sticker'
  return (
    <>
      {file && <Attachment messageId={id} file={file} isSticker={isSticker} />}
      {(body !== '' || isBefore) && (
        <div
          className={classes('bubble-box', message.kind === 'reaction' && 'lone-reaction', isSticker && 'as-sticker')}
        >
          {says}
          {details?.replyTo && details.choice === null && message.kind === 'text' && (
            <Suspense>
              <Quote contactId={message.contactId} quoted={details.replyTo} name={name} />
            </Suspense>
          )}
          {isBefore && details?.edited ? (
            <Suspense>
              <FirstText edited={details.edited} />
            </Suspense>
          ) : (
            <Text body={body} />
          )}
          {children}
        </div>
      )}
      {body === '' && !isBefore && children && <div className="on-file">{children}</div>}
    </>
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

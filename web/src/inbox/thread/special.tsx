import './special.css'
import type { ChannelDelivery, MessageDetails, Quoted } from '@patchbay/contract/app/messages.ts'
import BadgeCheck from 'lucide-react/icons/badge-check'
import Ban from 'lucide-react/icons/ban'
import Check from 'lucide-react/icons/check'
import CircleQuestionMark from 'lucide-react/icons/circle-question-mark'
import Globe from 'lucide-react/icons/globe'
import type { ReactNode } from 'react'
import { classes } from '../../ui/classes.ts'
import { exactTime } from '../../ui/format-time.ts'
import { inboxWords } from '../words.ts'
import { showMessage } from './show-message.ts'
import { specialWords as words } from './special-words.ts'
import { Text } from './text.tsx'
import type { News } from './thread-items.ts'

const clock = (at: string) => new Date(at).toLocaleTimeString(undefined, { timeStyle: 'short' })

/** What a message answers; it leads there. */
export function Quote({ contactId, quoted, name }: { contactId: string; quoted: Quoted; name: string }) {
  const { messageId, author, text } = quoted
  if (messageId === null) return <span className="quoted">{words.quoteGone}</span>
  const who = author === 'contact' ? name : author === 'bot' ? inboxWords.bot : inboxWords.person
  return (
    <button
      type="button"
      className="quoted"
      title={words.quoteOf(who)}
      onClick={() => void showMessage(contactId, messageId)}
    >
      <span className="sr">{words.quoteOf(who)}: </span>
      <bdi className="quoted-text">{text || words.quotedFile}</bdi>
    </button>
  )
}

/** The buttons that were sent with a message; those that were tapped are filled. */
export function Choices({
  choices,
  tapped,
  name,
}: {
  choices: ChannelDelivery['choices']
  tapped: ReadonlySet<string>
  name: string
}) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: they are no fields, and nothing here can be chosen
    <div className="choices" role="group" aria-label={words.buttons}>
      {choices.map(({ id, title }) => (
        <span key={id} className={classes('choice', tapped.has(id) && 'on')}>
          {tapped.has(id) && <Check className="i" />}
          <bdi>{title}</bdi>
          {tapped.has(id) && <span className="sr">{words.tappedBy(name)}</span>}
        </span>
      ))}
    </div>
  )
}

/** What was written first, in place of the new text. */
export function FirstText({ edited }: { edited: Edited }) {
  return (
    <>
      <span className="edited-before">{words.firstText}</span>
      <Text body={edited.before || words.nothing} />
    </>
  )
}

type Edited = NonNullable<MessageDetails['edited']>

/** When it was edited, and a way to see what was written first. */
function EditedAt({ edited: { at }, isText, isBefore, showBefore }: { edited: Edited; isText: boolean } & Before) {
  return (
    <>
      <span className="dot" title={exactTime(new Date(at))}>
        {words.edited(clock(at))}
      </span>
      {isText && (
        <button type="button" className="dot" aria-pressed={isBefore} onClick={() => showBefore(!isBefore)}>
          {words.before}
        </button>
      )}
    </>
  )
}

/** Whether an edited message shows what was written first. */
export type Before = { isBefore: boolean; showBefore: (isBefore: boolean) => void }

/** A place: a drawn plan, because tiles would tell a stranger where our contacts are. The map opens on a click. */
export function Place({ place, children }: { place: NonNullable<MessageDetails['place']>; children: ReactNode }) {
  const { latitude, longitude, name } = place
  const at = `${latitude},${longitude}`
  return (
    <div className="place-frame">
      <a
        className="place"
        href={`https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=17/${latitude}/${longitude}`}
        target="_blank"
        rel="noopener noreferrer"
      >
        <Plan />
        <span className="place-text">
          <b className="strong">
            <bdi>{name ?? words.location}</bdi>
          </b>
          <span className="small muted">
            <bdi>{at.replace(',', ', ').replaceAll('-', '−')}</bdi> · {words.opensMap}
          </span>
        </span>
      </a>
      {children}
    </div>
  )
}

/** The same streets everywhere: it only says that this is a place. */
function Plan() {
  return (
    <svg className="place-plan" viewBox="0 0 280 84" preserveAspectRatio="xMidYMid slice" aria-hidden="true">
      <g className="place-streets" fill="none">
        <path strokeWidth="8" d="M-8 70 96 46 186 58 292 20" />
        <path strokeWidth="5" d="M58-8 84 96M196-8 210 60 190 96" />
        <path strokeWidth="3" d="M-8 26 72 18M132-8 146 52 150 96M240 38 262 96" />
      </g>
      <path className="place-pin" d="M140 14a15 15 0 0 0-15 15c0 11 15 27 15 27s15-16 15-27a15 15 0 0 0-15-15z" />
      <circle className="place-eye" cx="140" cy="29" r="5.5" />
    </svg>
  )
}

/** Where it was written. Anybody can name any page, so it leads only to those that the channel is on. */
function Page({ page: { url, isOurs } }: { page: NonNullable<News['page']> }) {
  const shown = <bdi>{url.replace(/^https?:\/\//, '')}</bdi>
  const isLink = isOurs && /^https?:\/\//.test(url)
  return (
    <span className="dot receipt-page" title={words.pageTitle}>
      <Globe className="i" />
      <span className="sr">{words.pageTitle}: </span>
      {isLink ? (
        <a href={url} target="_blank" rel="noopener noreferrer nofollow">
          {shown}
        </a>
      ) : (
        shown
      )}
    </span>
  )
}

function languageOf(code: string): string {
  try {
    return new Intl.DisplayNames('en', { type: 'language' }).of(code) ?? code
  } catch {
    return code
  }
}

/** What was taken back, or cannot be shown. Nothing of it is here. */
export function Gone({ name, at }: { name: string; at: string | null }) {
  const Icon = at === null ? CircleQuestionMark : Ban
  return (
    <div className="bubble-box gone">
      <Icon className="i" />
      <span>{at === null ? words.nothing : words.takenBack(name, clock(at))}</span>
    </div>
  )
}

/** What the receipt says besides: who vouches for it, on which page, when it was written, edited, that it is a tap, what it is. */
export function Aside({ details, news, ...before }: { details: MessageDetails; news: News } & Before) {
  const { writtenAt, edited, choice, described, takenBackAt, place, isSigned } = details
  if (takenBackAt) return null
  return (
    <>
      {writtenAt && (
        <span className="dot" title={exactTime(new Date(writtenAt))}>
          {words.written(clock(writtenAt))}
        </span>
      )}
      {choice !== null && <span className="dot">{words.tapped}</span>}
      {isSigned && (
        <span className="dot receipt-signed">
          <BadgeCheck className="i" />
          {words.signed}
        </span>
      )}
      {news.language && <span className="dot">{words.writesIn(languageOf(news.language))}</span>}
      {news.page && <Page page={news.page} />}
      {described && <span className="dot">{words.described[described]}</span>}
      {edited && <EditedAt edited={edited} isText={place === null} {...before} />}
    </>
  )
}

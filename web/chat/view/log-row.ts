import type { ChatFile, ChatLine, ChatMessage } from '@patchbay/contract/chat/protocol.ts'
import type { Pending } from '../state.ts'
import type { Words } from '../words/words.ts'
import { type Child, icon, isolated, make } from './dom.ts'
import type { Row } from './rows.ts'
import { isAddress, linkTo, withLinks } from './text.ts'
import type { Times } from './times.ts'

export type RowActs = {
  retry: (id: string) => void
  drop: (id: string) => void
  choose: (choice: { id: string; title: string }) => void
  older: () => void
}

export type Drawing = {
  words: Words
  times: Times
  name: string
  /** Of the server, which tells where files are without it. */
  origin: string
  acts: RowActs
  now: () => number
}

type RowOf<Is> = Extract<Row, { is: Is }>
type Drawers = { [Is in Exclude<Row['is'], 'email' | 'fold'>]: (row: RowOf<Is>, drawing: Drawing) => HTMLElement }

/** The e-mail card and what was folded have files of their own. */
const drawers: Drawers = {
  older: ({ isLoading }, drawing) => older(isLoading, drawing),
  day: (row, drawing) => make('p', { class: 'pbw-day' }, [dayText(row, drawing)]),
  greeting,
  message: ({ message, hasMeta }, drawing) => drawMessage(message, hasMeta, drawing),
  line: (row, drawing) => line(row.line, drawing),
  choices: ({ message }, drawing) => choices(message, drawing),
  pending: ({ pending }, drawing) => drawPending(pending, drawing),
  typing,
  note: ({ note }, drawing) => make('p', { class: 'pbw-event' }, [noteText(note, drawing)]),
}

/** The element of a row. */
export function drawRow(row: RowOf<keyof Drawers>, drawing: Drawing): HTMLElement {
  return (drawers[row.is] as (row: Row, drawing: Drawing) => HTMLElement)(row, drawing)
}

function greeting({ text, at, byBot }: Extract<Row, { is: 'greeting' }>, { words, times, name }: Drawing): HTMLElement {
  return item('shop', [bubble(withLinks(text)), meta([`${byBot ? words.assistant : name} · ${times.clock(at)}`])])
}

function line({ is, name, at }: ChatLine, { words, times }: Drawing): HTMLElement {
  const text = is === 'joined' ? words.joined(isolated(name ?? words.team)) : words.assistantAgain
  return make('p', { class: 'pbw-event' }, [`${text} · ${isolated(times.clock(at))}`])
}

function noteText(note: Extract<Row, { is: 'note' }>['note'], { words, name }: Drawing): string {
  if (note === 'ends with page') return words.endsWithPage
  return note === 'deleted' ? words.deleted : words.askedToDelete(name)
}

function dayText(row: Extract<Row, { is: 'day' }>, { words, times }: Drawing): string {
  if (row.isToday) return words.today
  return row.isYesterday ? words.yesterday : times.day(row.at)
}

const item = (by: string, children: Child[]) => make('div', { class: `pbw-item ${by}` }, children)
const bubble = (children: Child[]) => make('p', { class: 'pbw-msg', dir: 'auto' }, children)
const meta = (children: Child[]) => make('p', { class: 'pbw-meta' }, children)
const hidden = (text: string) => make('span', { class: 'pbw-hide' }, [text])

export function authorOf({ from, name }: Pick<ChatMessage, 'from' | 'name'>, words: Words): string {
  if (from === 'visitor') return words.you
  return from === 'bot' ? words.assistant : (name ?? words.team)
}

export function drawMessage(message: ChatMessage, hasMeta: boolean, drawing: Drawing): HTMLElement {
  const { words, times } = drawing
  const isMine = message.from === 'visitor'
  const author = authorOf(message, words)
  const children: Child[] = [hidden(`${author}: `)]
  if (message.text !== '') children.push(bubble(withLinks(message.text)))
  if (message.file) children.push(drawFile(message.file, drawing))
  if (hasMeta)
    children.push(
      isMine
        ? meta([times.clock(message.at), ' ', icon('tick'), words.sent])
        : meta([make('bdi', {}, [author]), `· ${times.clock(message.at)}`]),
    )
  const element = item(isMine ? 'me' : 'shop', children)
  element.dataset.seq = String(message.seq)
  return element
}

/** At the side where the panel's lines begin, whichever way it is read itself. */
const sizeOf = (said: string) => make('span', { class: 'pbw-size' }, [make('bdi', {}, [said])])

function drawFile(file: ChatFile, { words, times, origin }: Drawing): HTMLElement {
  const whole = file.url === null ? '' : URL.canParse(file.url, origin) ? new URL(file.url, origin).href : ''
  const url = isAddress(whole) ? whole : null
  const card = make('div', { class: 'pbw-file' }, [
    icon('file'),
    url === null ? make('span', { dir: 'auto' }, [file.name]) : linkTo(url, file.name),
    sizeOf(url === null ? words.noFile : file.sizeBytes === null ? '' : times.bytes(file.sizeBytes)),
  ])
  if (!file.isPicture || url === null) return card
  const picture = make('img', { alt: file.name, decoding: 'async', referrerpolicy: 'no-referrer' }) as HTMLImageElement
  const link = linkTo(url, '')
  link.className = 'pbw-picture'
  link.append(picture)
  // Where the page's policy lets no picture of ours through, it is a link.
  picture.addEventListener('error', () => link.replaceWith(card))
  picture.src = url
  return link
}

function older(isLoading: boolean, { words, acts }: Drawing): HTMLElement {
  const button = make('button', { type: 'button', class: 'pbw-older' }, [isLoading ? words.loading : words.older])
  button.addEventListener('click', acts.older)
  return button
}

function choices(message: ChatMessage, { acts }: Drawing): HTMLElement {
  return make(
    'div',
    { class: 'pbw-quick' },
    message.choices.map((choice) => {
      const button = make('button', { type: 'button', dir: 'auto' }, [choice.title])
      button.addEventListener('click', () => acts.choose(choice))
      return button
    }),
  )
}

function typing({ by, name }: Extract<Row, { is: 'typing' }>, { words }: Drawing): HTMLElement {
  const who = by === 'bot' ? words.assistant : (name ?? words.team)
  const dots = make('p', { class: 'pbw-msg pbw-dots', 'aria-hidden': 'true' }, [
    make('i', {}),
    make('i', {}),
    make('i', {}),
  ])
  return item('shop', [dots, meta([words.isWriting(isolated(who))])])
}

function drawPending(pending: Pending, drawing: Drawing): HTMLElement {
  const { words } = drawing
  const isBad = pending.is === 'failed'
  const children: Child[] = [hidden(`${words.you}: `)]
  if (pending.file) children.push(pendingFile(pending, drawing))
  else children.push(bubble(withLinks(pending.text)))
  children.push(pendingMeta(pending, drawing))
  return item(isBad ? 'me bad' : pending.is === 'waits' ? 'me off' : 'me', children)
}

function pendingFile({ file, sentBytes, is }: Pending, { words, times }: Drawing): HTMLElement {
  const size = file?.sizeBytes ?? 0
  const isUnderWay = is === 'sending' && sentBytes > 0
  const bar = make('i', {})
  bar.style.setProperty('width', `${Math.min(100, (sentBytes / Math.max(1, size)) * 100)}%`)
  return make('div', { class: 'pbw-file' }, [
    icon('file'),
    make('span', { dir: 'auto' }, [file?.name ?? '']),
    sizeOf(
      isUnderWay
        ? words.ofBytes(times.megabytes(Math.min(sentBytes, size)), times.bytes(size, 1e6))
        : times.bytes(size),
    ),
    ...(is === 'sending' ? [make('span', { class: 'pbw-bar' }, [bar])] : []),
  ])
}

function pendingMeta(pending: Pending, { words, acts, now }: Drawing): HTMLElement {
  const act = (label: string, run: () => void) => {
    const button = make('button', { type: 'button' }, [label])
    button.addEventListener('click', run)
    return button
  }
  const drop = () => acts.drop(pending.id)
  if (pending.is === 'failed') {
    const isFinal = ['too large', 'too long', 'type', 'lost'].includes(pending.why ?? '')
    const again = isFinal ? act(words.remove, drop) : act(words.tryAgain, () => acts.retry(pending.id))
    return meta([icon('fault'), sayFailure(pending, words), ' ', again])
  }
  if (pending.is === 'sending') {
    return meta([icon('clock'), words.sending, ...(pending.file ? [' ', act(words.stop, drop)] : [])])
  }
  if (pending.againAt === null) return meta([icon('clock'), words.waits])
  return meta([icon('clock'), words.triedAgainIn(Math.max(1, Math.ceil((pending.againAt - now()) / 1_000)))])
}

export function sayFailure({ why }: Pick<Pending, 'why'>, words: Words): string {
  switch (why) {
    case 'too large':
      return words.tooLarge
    case 'too long':
      return words.tooLong
    case 'type':
      return words.wrongType
    case 'lost':
      return words.fileLost
    case 'full':
      return words.veryMany
    default:
      return words.notSent
  }
}

import type { BroadcastPreview } from '@patchbay/contract/app/broadcasts.ts'
import Clock from 'lucide-react/icons/clock'
import Info from 'lucide-react/icons/info'
import { useEffect, useRef } from 'react'
import { Button } from '../ui/button.tsx'
import { Failed } from '../ui/failed.tsx'
import { nameOf } from '../ui/name-of.ts'
import { Note } from '../ui/note.tsx'
import type { Draft } from './draft.ts'
import { formatSeconds } from './time-left.ts'
import { broadcastWords as words } from './words.ts'
import { zonedTime } from './zoned-time.tsx'

type Props = {
  draft: Draft
  preview: BroadcastPreview
  /** Of the account. */
  zone: string
  start: { run: () => void; isPending: boolean; error: unknown }
  onChange: () => void
  onDone: () => void
}

/** How many get it, who does not and why, and what they will read. The button says the exact number: it asks once. */
export function PreviewCard({ draft, preview, zone, start, onChange, onDone }: Props) {
  const head = useRef<HTMLHeadingElement>(null)
  useEffect(() => head.current?.focus(), [])
  const { listName, contacts, optedOut, blocked, noId, noAddress, idTaken, example, trouble } = preview
  const readers = contacts - optedOut - blocked - noId - noAddress - idTaken
  const { idFrom, startsAt } = draft
  const isOverChannel = draft.channelId !== undefined
  const nobody = { contacts, optedOut, noId, idFrom, isOverChannel }
  const { places } = preview
  return (
    <section className="card" aria-label={words.preview}>
      <div className="card-body stack stack-4">
        <div>
          <h2 className="h-section" tabIndex={-1} ref={head}>
            {readers === 0 ? words.nobody : words.gets(readers)}
          </h2>
          <p className="muted">
            {readers === 0 ? words.nobodySays(nobody) : words.takes(formatSeconds(preview.takesSeconds))}
            {places && places.most > 1 && ` ${words.places(places)}`}
            {optedOut > 0 && optedOut < contacts && ` ${words.leftOutOf.optedOut(optedOut)}.`}
            {blocked > 0 && ` ${words.leftOutOf.blocked(blocked)}.`}
            {noId > 0 && ` ${isOverChannel ? words.leftOutOf.unknown(noId) : words.leftOutOf.noId(noId)}.`}
            {noAddress > 0 && ` ${words.leftOutOf.noAddress(noAddress, idFrom)}.`}
            {idTaken > 0 &&
              ` ${isOverChannel ? words.leftOutOf.numberTaken(idTaken) : words.leftOutOf.idTaken(idTaken)}.`}
          </p>
        </div>
        <Messages listName={listName} messages={preview.messages} />
        {example !== null && draft.idFrom && (
          <Note icon={Info}>
            {words.exampleSays(draft.idFrom)} <bdi className="mono strong">{example}</bdi>. {words.exampleMust}
          </Note>
        )}
        {trouble && readers > 0 && (
          <Note tone="wait" icon={Clock}>
            {words.trouble(trouble, isOverChannel)}
          </Note>
        )}
        {startsAt && (
          <Note icon={Clock}>
            {words.startsThen(zonedTime(new Date(startsAt), zone))} {words.peopleThen}
          </Note>
        )}
        <Failed error={start.error} />
        <div className="row wrap">
          {(readers > 0 || startsAt) && (
            <Button
              look="primary"
              busy={start.isPending && (startsAt ? words.scheduling : words.sending)}
              onClick={start.run}
            >
              {startsAt ? words.schedule : words.send(readers)}
            </Button>
          )}
          <Button onClick={onChange}>{words.change}</Button>
          <Button look="quiet" onClick={onDone}>
            {words.cancel}
          </Button>
          {readers > 0 && !startsAt && <span className="small faint">{words.once}</span>}
        </div>
      </div>
    </section>
  )
}

function Messages({ listName, messages }: Pick<BroadcastPreview, 'listName' | 'messages'>) {
  if (messages.length === 0) return null
  return (
    <div className="stack stack-3">
      <p className="muted">{words.previewSays(listName)}</p>
      <ul className="broadcast-samples">
        {messages.map(({ contactId, body, externalId, ...names }) => (
          <li key={contactId}>
            <bdi className="small faint">{nameOf(names) ?? externalId}</bdi>
            <p dir="auto">{body}</p>
          </li>
        ))}
      </ul>
    </div>
  )
}

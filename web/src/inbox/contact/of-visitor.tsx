import './of-visitor.css'
import type { ConversationDetail } from '@patchbay/contract/app/conversations.ts'
import type { ReplyWay } from '@patchbay/contract/app/messages.ts'
import Ban from 'lucide-react/icons/ban'
import Mail from 'lucide-react/icons/mail'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Check } from '../../ui/check.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Note } from '../../ui/note.tsx'
import { Time } from '../../ui/time.tsx'
import { useActions } from '../data/use-actions.ts'
import { shortName } from '../names.ts'
import { inboxWords } from '../words.ts'
import { visitorWords as words } from './visitor-words.ts'

type Props = { detail: ConversationDetail; way: ReplyWay }
type Visitor = NonNullable<ReplyWay['visitor']>

/** What is known of somebody on a website, and what keeps them from writing. */
export function OfVisitor({ detail, way }: Props) {
  const { visitor } = way
  if (!visitor) return null
  return (
    <>
      {visitor.leftEmail && <LeftEmail detail={detail} left={visitor.leftEmail} />}
      <Door detail={detail} way={way} closedAt={visitor.closedAt} />
    </>
  )
}

/** Nobody has verified that it is theirs: it is the contact's only when somebody says so. */
function LeftEmail({
  detail: { contact },
  left,
}: {
  detail: ConversationDetail
  left: NonNullable<Visitor['leftEmail']>
}) {
  const { takeEmail } = useActions(contact.id)
  const [isBusy, setBusy] = useState(false)
  const take = async () => {
    setBusy(true)
    await takeEmail(left.address)
    setBusy(false)
  }
  return (
    <div className="left-email">
      <Mail className="i" />
      <div className="left-email-what">
        <span className="copy copy-bare">
          <a className="cut" href={`mailto:${encodeURIComponent(left.address)}`} title={left.address}>
            <bdi>{left.address}</bdi>
          </a>
          <CopyButton text={left.address} label={words.copyEmail} />
        </span>
        <span className="small muted">
          {words.left} <Time at={left.at} /> · {words.notVerified}
        </span>
      </div>
      {contact.email !== left.address && (
        <Button size="sm" busy={isBusy && words.using} onClick={() => void take()}>
          {words.useAsEmail}
        </Button>
      )}
    </div>
  )
}

/** Where a visitor is blocked, and let in again. It asks in its place. */
function Door({ detail, way, closedAt }: Props & { closedAt: string | null }) {
  const { unblock } = useActions(detail.contact.id)
  const [isAsked, setAsked] = useState(false)
  const door = useRef<HTMLButtonElement>(null)
  const name = shortName(detail) || inboxWords.noName
  const leave = () => {
    setAsked(false)
    requestAnimationFrame(() => door.current?.focus())
  }
  if (closedAt !== null) {
    return (
      <div className="row between wrap">
        <span className="small muted">
          {words.blocked} <Time at={closedAt} />
        </span>
        <Button size="sm" ref={door} onClick={() => void unblock(way.channelId)}>
          {words.unblock}
        </Button>
      </div>
    )
  }
  if (isAsked) return <Ask detail={detail} way={way} name={name} onLeave={leave} />
  return (
    <div className="row visitor-door">
      <Button look="quiet" size="sm" ref={door} onClick={() => setAsked(true)}>
        <Ban className="i i-14" />
        {words.block(name)}
      </Button>
    </div>
  )
}

function Ask({ detail, way, name, onLeave }: Props & { name: string; onLeave: () => void }) {
  const { block } = useActions(detail.contact.id)
  const [alsoNetwork, setAlsoNetwork] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const keep = useRef<HTMLButtonElement>(null)
  useEffect(() => keep.current?.focus(), [])
  const doIt = async () => {
    setBusy(true)
    if (await block(way.channelId, alsoNetwork)) return onLeave()
    setBusy(false)
  }
  return (
    <Note icon={Ban}>
      <div className="stack stack-3 visitor-block">
        <p>{words.blockSays(name)}</p>
        <Check checked={alsoNetwork} onChange={(event) => setAlsoNetwork(event.target.checked)}>
          <span className="small">{words.alsoNetwork}</span>
        </Check>
        <div className="row wrap">
          <Button look="fail" size="sm" busy={isBusy && words.blocking} onClick={() => void doIt()}>
            {words.blockIt}
          </Button>
          <Button size="sm" ref={keep} onClick={onLeave}>
            {words.keep}
          </Button>
        </div>
      </div>
    </Note>
  )
}

import '../../ui/delivery-error.css'
import type { Message } from '@patchbay/contract/app/messages.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import RotateCw from 'lucide-react/icons/rotate-cw'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import { useRef, useState } from 'react'
import { useCommands } from '../../commands/commands.ts'
import { read } from '../../data/queries.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { deliveryErrorWords as words } from '../../ui/delivery-error-words.ts'
import { showElement } from '../../ui/show-element.ts'
import { useNow } from '../../ui/use-now.ts'
import { conversationCommand } from '../conversation-command.ts'
import { useActions } from '../data/use-actions.ts'
import { inboxWords } from '../words.ts'
import { deliveryErrorOf } from './delivery-error.ts'
import { OtherWay } from './other-way.tsx'

/** Why a reply has not arrived. It counts down once a second; readers hear of it once, from the thread. */
export function DeliveryErrorBox({ message, isLatest }: { message: Message; isLatest: boolean }) {
  const now = useNow('second')
  const error = message.delivery && deliveryErrorOf(message.delivery, now)
  if (!error) return null
  return (
    <div className="delivery-error">
      <TriangleAlert className="i" />
      <div>
        <b>{error.title}</b> {error.cause}
        <div className="delivery-error-next">
          {error.next}
          {error.tries && (
            <>
              {' · '}
              <Link to="/settings/webhook" hash={message.id}>
                {error.tries}
              </Link>
            </>
          )}
        </div>
      </div>
      <div className="delivery-error-acts">
        <OtherWay message={message} />
        <Act act={error.act} message={message} isLatest={isLatest} />
      </div>
    </div>
  )
}

type ActProps = { act: 'send again' | 'add webhook' | 'open receiver'; message: Message; isLatest: boolean }

/** The key sends the latest failed reply again. */
function Act({ act, message, isLatest }: ActProps) {
  const { sendAgain } = useActions(message.contactId)
  const { data: counts } = useQuery(read('GET /api/counts'))
  const [isBusy, setBusy] = useState(false)
  const isOnItsWay = isBusy || message.delivery?.isSending === true
  // Once an address is saved, or the receiver resumed, the reply can be sent.
  const isInTheWay = counts?.receiver === (act === 'add webhook' ? 'none' : 'paused')
  const canSend = act === 'send again' || !isInTheWay
  const button = useRef<HTMLButtonElement>(null)
  const again = async () => {
    setBusy(true)
    await sendAgain(message.id)
    setBusy(false)
  }
  const run = () => {
    showElement(button.current)
    if (!isOnItsWay) void again()
  }
  const command = conversationCommand('again', inboxWords.keys.again, 'Shift+r', RotateCw)
  useCommands(isLatest && canSend ? [{ ...command, run }] : [])
  if (!canSend) {
    return (
      <Link to="/settings/webhook" className={buttonClass('outline', 'sm')}>
        {act === 'add webhook' ? words.addWebhook : words.openReceiver}
      </Link>
    )
  }
  return (
    <Button look="fail" size="sm" ref={button} busy={isOnItsWay && words.sendingAgain} onClick={() => void again()}>
      <RotateCw className="i i-14" />
      {words.sendAgain}
    </Button>
  )
}

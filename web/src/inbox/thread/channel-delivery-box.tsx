import '../../ui/delivery-error.css'
import type { Message } from '@patchbay/contract/app/messages.ts'
import Ban from 'lucide-react/icons/ban'
import CircleQuestionMark from 'lucide-react/icons/circle-question-mark'
import RotateCw from 'lucide-react/icons/rotate-cw'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import { type ReactNode, useRef, useState } from 'react'
import { useCommands } from '../../commands/commands.ts'
import { Button } from '../../ui/button.tsx'
import { providerNames } from '../../ui/channel.tsx'
import { classes } from '../../ui/classes.ts'
import { deliveryErrorWords } from '../../ui/delivery-error-words.ts'
import { showElement } from '../../ui/show-element.ts'
import { useNow } from '../../ui/use-now.ts'
import { conversationCommand } from '../conversation-command.ts'
import { useActions } from '../data/use-actions.ts'
import { inboxWords } from '../words.ts'
import { sayChannelDelivery } from './channel-delivery.ts'
import { OtherWay } from './other-way.tsx'
import { specialWords as words } from './special-words.ts'

/** What became of a message over a built-in channel that did not simply leave: why, what happens next, what somebody can say or do. */
export function ChannelDeliveryBox({ message, isLatest }: { message: Message; isLatest: boolean }) {
  const now = useNow('second')
  const kind = message.channel.kind
  const said =
    message.delivery &&
    sayChannelDelivery(message.delivery, kind === null ? message.channel.name : providerNames[kind], now)
  if (!said) return null
  const Icon = { doubt: CircleQuestionMark, quiet: Ban, fault: TriangleAlert }[said.tone]
  return (
    <div className={classes('delivery-error', said.tone === 'doubt' && 'unsure', said.tone === 'quiet' && 'quiet')}>
      <Icon className="i" />
      <div>
        <b>{said.title}</b> {said.cause}
        {said.next !== '' && <div className="delivery-error-next">{said.next}</div>}
      </div>
      <div className="delivery-error-acts">
        {said.tone !== 'doubt' && <OtherWay message={message} />}
        {said.acts.map((act) =>
          act === 'again' ? (
            <Again key={act} message={message} isLatest={isLatest} look={said.tone === 'fault' ? 'fail' : 'outline'} />
          ) : (
            <Say key={act} message={message} act={act}>
              {act === 'fine' ? words.doubt.fine : words.doubt.arrived}
            </Say>
          ),
        )}
      </div>
    </div>
  )
}

/** Somebody says what became of it. */
function Say({ message, act, children }: { message: Message; act: 'fine' | 'arrived'; children: ReactNode }) {
  const { endDoubt } = useActions(message.contactId)
  const [isBusy, setBusy] = useState(false)
  const say = async () => {
    setBusy(true)
    await endDoubt(message.id, act)
    setBusy(false)
  }
  return (
    <Button size="sm" disabled={isBusy} onClick={() => void say()}>
      {children}
    </Button>
  )
}

/** The key sends the latest one again. */
function Again({ message, isLatest, look }: { message: Message; isLatest: boolean; look: 'fail' | 'outline' }) {
  const { sendOverChannelAgain } = useActions(message.contactId)
  const [isBusy, setBusy] = useState(false)
  const isOnItsWay = isBusy || message.delivery?.isSending === true
  const button = useRef<HTMLButtonElement>(null)
  const again = async () => {
    setBusy(true)
    await sendOverChannelAgain(message.id)
    setBusy(false)
  }
  const run = () => {
    showElement(button.current)
    if (!isOnItsWay) void again()
  }
  const command = conversationCommand('again', inboxWords.keys.again, 'Shift+r', RotateCw)
  useCommands(isLatest ? [{ ...command, run }] : [])
  return (
    <Button
      look={look}
      size="sm"
      ref={button}
      busy={isOnItsWay && deliveryErrorWords.sendingAgain}
      onClick={() => void again()}
    >
      <RotateCw className="i i-14" />
      {deliveryErrorWords.sendAgain}
    </Button>
  )
}

import type { ConversationDetail } from '@patchbay/contract/app/conversations.ts'
import AlarmClock from 'lucide-react/icons/alarm-clock'
import { lazy, Suspense } from 'react'
import { IconButton } from '../../ui/icon-button.tsx'
import { Popover } from '../../ui/popover.tsx'
import { conversationCommand } from '../conversation-command.ts'
import { inboxWords } from '../words.ts'
import { teamWords as words } from './words.ts'

const Choices = lazy(() => import('./snooze-choices.tsx').then(({ SnoozeChoices }) => ({ default: SnoozeChoices })))

/** Puts the conversation off until a time. */
export function SnoozeButton({ detail }: { detail: ConversationDetail }) {
  return (
    <Popover
      label={words.snooze}
      command={conversationCommand('snooze', inboxWords.keys.snooze, 'h', AlarmClock)}
      trigger={(props) => (
        <IconButton {...props} label={words.snooze}>
          <AlarmClock className="i" />
        </IconButton>
      )}
    >
      {(close) => (
        <Suspense>
          <Choices detail={detail} onDone={close} />
        </Suspense>
      )}
    </Popover>
  )
}

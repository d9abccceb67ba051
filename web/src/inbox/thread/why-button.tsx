import { lazy, Suspense } from 'react'
import { Popover } from '../../ui/popover.tsx'
import { conversationCommand } from '../conversation-command.ts'
import { inboxWords as words } from '../words.ts'

const Why = lazy(() => import('./why.tsx').then(({ Why }) => ({ default: Why })))

/** Opens why the bot answered as it did: beside the receipt, under 640 px as a sheet. The key opens the latest answer's. */
export function WhyButton({ messageId, isLatest }: { messageId: string; isLatest: boolean }) {
  return (
    <Popover
      label={words.why}
      command={isLatest ? conversationCommand('why', words.keys.why, 'y') : undefined}
      trigger={(props) => (
        <button type="button" {...props}>
          {words.why}
        </button>
      )}
    >
      {(close) => (
        <Suspense>
          <Why messageId={messageId} onClose={close} />
        </Suspense>
      )}
    </Popover>
  )
}

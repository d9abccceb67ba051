import { lazy, Suspense } from 'react'
import { Popover } from '../../ui/popover.tsx'
import { inboxWords as words } from '../words.ts'

const Why = lazy(() => import('./why.tsx').then(({ Why }) => ({ default: Why })))

/** Opens why the bot answered as it did: beside the receipt, under 640 px as a sheet. */
export function WhyButton({ messageId }: { messageId: string }) {
  return (
    <Popover
      label={words.why}
      trigger={(props) => (
        <button type="button" {...props} data-why="">
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

import type { ConversationDetail } from '@patchbay/contract/app/conversations.ts'
import Check from 'lucide-react/icons/check'
import Undo2 from 'lucide-react/icons/undo-2'
import { Button } from '../../ui/button.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { useCloseOrReopen } from './use-close.ts'
import { teamWords as words } from './words.ts'

/** Done with it; or not, after all. */
export function CloseButton({ detail }: { detail: ConversationDetail }) {
  const isClosed = detail.conversation.state === 'closed'
  const closeOrReopen = useCloseOrReopen(detail.contact.id)
  return (
    <Button size="sm" className="only-wide" onClick={closeOrReopen}>
      {isClosed ? <Undo2 className="i i-14" /> : <Check className="i i-14" />}
      {isClosed ? words.reopen : words.close} <Kbd press="e" />
    </Button>
  )
}

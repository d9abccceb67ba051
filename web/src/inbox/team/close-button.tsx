import type { ConversationDetail } from '@patchbay/contract/app/conversations.ts'
import Check from 'lucide-react/icons/check'
import Undo2 from 'lucide-react/icons/undo-2'
import { useCommands } from '../../commands/commands.ts'
import { Button } from '../../ui/button.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { conversationCommand } from '../conversation-command.ts'
import { inboxWords } from '../words.ts'
import { useCloseOrReopen } from './use-close.ts'
import { teamWords as words } from './words.ts'

/** Closes the conversation, or opens it again. */
export function CloseButton({ detail }: { detail: ConversationDetail }) {
  const isClosed = detail.conversation.state === 'closed'
  const closeOrReopen = useCloseOrReopen(detail.contact.id)
  useCommands([{ ...conversationCommand('close', inboxWords.keys.close, 'e', Check), run: closeOrReopen }])
  return (
    <Button size="sm" className="only-wide" onClick={closeOrReopen}>
      {isClosed ? <Undo2 className="i i-14" /> : <Check className="i i-14" />}
      {isClosed ? words.reopen : words.close} <Kbd press="e" />
    </Button>
  )
}

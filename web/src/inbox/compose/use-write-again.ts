import { useStores } from '../data/stores.ts'
import { writeIn } from './compose-mode.ts'
import { sayChoice } from './reply-ways.ts'
import type { UnsentReply } from './unsent-items.ts'

type Unsent = Pick<UnsentReply, 'contactId' | 'body' | 'file' | 'channelId' | 'afterSeq'>

/** Returns what puts a reply that did not leave back where it is written, before what was begun there meanwhile. */
export function useWriteAgain(): (reply: Unsent) => void {
  const { drafts, chosenWays, attachments } = useStores()
  return ({ contactId, body, file, channelId, afterSeq }) => {
    const texts = [body, drafts.get(contactId)].filter((text) => text.trim() !== '')
    drafts.set(contactId, texts.join('\n\n'))
    if (file) attachments.putBack(contactId, file)
    if (channelId) chosenWays.set(contactId, sayChoice({ channelId, afterSeq }))
    writeIn(contactId, 'reply')
  }
}

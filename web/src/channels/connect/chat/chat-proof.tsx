import type { ChannelInUse } from '@patchbay/contract/app/channels.ts'
import { CallList, type ShownCall } from '../../../ui/call-list.tsx'
import { cableIn, SignalBox, SignalCable, SignalPanel, SignalUs } from '../../../ui/signal.tsx'
import { connectWords } from '../words.ts'
import { chatStepWords as words } from './words.ts'

/** The cable from the page to us, and the calls that really came. */
export function ChatProof({ channel }: { channel: ChannelInUse | undefined }) {
  const seen = channel?.chat?.seen ?? null
  const hasMessage = channel?.lastEventAt != null
  const page = channel?.chat?.settings.pages[0] ?? words.noPage
  const says = hasMessage ? connectWords.usKeeps : seen ? words.listens : channel ? words.ready : words.waits
  return (
    <>
      <SignalPanel label={words.signalLabel(seen !== null)} height={200}>
        <SignalBox y={1} isOn={seen !== null} title={words.yourPage} says={seen?.host ?? page} />
        <SignalUs title={connectWords.us} says={says} />
        <SignalCable isOn={seen !== null} {...cableIn} />
      </SignalPanel>
      <div className="stack">
        <CallList title={connectWords.calls} none={words.noCalls} calls={callsOf(channel)} />
      </div>
    </>
  )
}

/** What is known of real calls, newest first. */
function callsOf(channel: ChannelInUse | undefined): ShownCall[] {
  if (!channel?.chat) return []
  const { lastEventAt, use, chat } = channel
  const { call, outcome } = connectWords
  const calls: ShownCall[] = []
  if (use.lastOutAt) calls.push({ key: 'reply', at: use.lastOutAt, what: call.reply, outcome: outcome.kept })
  if (lastEventAt) calls.push({ key: 'message', at: lastEventAt, what: call.message, outcome: outcome.kept })
  if (chat.seen) calls.push({ key: 'seen', at: chat.seen.at, what: words.askedFor, outcome: chat.seen.host })
  if (chat.refused) {
    const refused = words.refusedBy(chat.refused.origin)
    calls.push({ key: 'refused', at: chat.refused.at, what: words.refused, outcome: refused, tone: 'fail' })
  }
  return calls.sort((one, other) => other.at.localeCompare(one.at))
}

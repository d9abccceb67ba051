import type { ChannelInUse } from '@patchbay/contract/app/channels.ts'
import { Link } from '@tanstack/react-router'
import { MadeBefore } from '../../../settings/website-chat/line/made-before.tsx'
import { PageForm } from '../../../settings/website-chat/line/page-form.tsx'
import { Listening, TheLine } from '../../../settings/website-chat/line/the-line.tsx'
import { buttonClass } from '../../../ui/button.tsx'
import { StepLine } from '../../../ui/step.tsx'
import { isPageChat } from '../../data/chat-of.ts'
import { CheckAct } from '../../parts/check-act.tsx'
import { Checks } from '../../parts/checks.tsx'
import { Heard } from '../steps/message-step.tsx'
import { chatStepWords as words } from './words.ts'

type Props = { channel: ChannelInUse | undefined; onConnected: (channelId: string) => unknown }

/** From the first page to the first message. That the line was put there shows when the page asks for it. */
export function ChatSteps({ channel, onConnected }: Props) {
  const made = channel && isPageChat(channel) ? channel : undefined
  const seen = made?.chat.seen ?? null
  const isDone = {
    page: made !== undefined,
    line: seen !== null,
    seen: seen !== null,
    message: made?.lastEventAt != null,
  }
  const current = (['page', 'line', 'seen', 'message'] as const).find((step) => !isDone[step])
  const step = (name: keyof typeof isDone) => ({ isDone: isDone[name], isCurrent: current === name })
  const failing = made?.checks.filter(({ state }) => state === 'failing') ?? []
  return (
    <div className="stack stack-4">
      <ol className="steps">
        <StepLine n={1} title={made ? words.pageDone(made.chat.settings.pages[0] ?? '') : words.page} {...step('page')}>
          {!made && (
            <div className="stack stack-4">
              <PageForm onMade={onConnected} />
              <MadeBefore onMade={onConnected} />
            </div>
          )}
        </StepLine>
        <StepLine n={2} title={isDone.line ? words.lineDone : words.line} {...step('line')} isBad={failing.length > 0}>
          {made && failing.length > 0 && (
            <Checks checks={failing} act={(check) => <CheckAct channelId={made.id} check={check} />} />
          )}
          {made && !seen && (
            <>
              <p className="muted">{words.lineSays}</p>
              <TheLine line={made.chat.line} />
            </>
          )}
        </StepLine>
        <StepLine n={3} title={seen ? words.seenDone(seen.host) : words.seen} at={seen?.at} {...step('seen')}>
          {made && !seen && <Listening />}
        </StepLine>
        <StepLine
          n={4}
          title={isDone.message ? words.messageDone : words.message}
          at={made?.lastEventAt}
          {...step('message')}
        >
          {made && isDone.message && <Heard channelId={made.id} />}
          {made && !isDone.message && <p className="muted">{words.messageSays}</p>}
        </StepLine>
      </ol>
      {made && (
        <div className="row">
          <Link to="/settings/website-chat" search={{ channel: made.id }} className={buttonClass()}>
            {words.settings}
          </Link>
        </div>
      )}
    </div>
  )
}

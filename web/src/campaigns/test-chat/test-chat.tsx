import '../../inbox/thread/bubble.css'
import './test-chat.css'
import type { ShownCampaign } from '@patchbay/contract/app/campaigns.ts'
import type { TestAnswer } from '@patchbay/contract/app/knowledge.ts'
import RotateCcw from 'lucide-react/icons/rotate-ccw'
import { useEffect, useRef } from 'react'
import { useCommands } from '../../commands/commands.ts'
import { keyWords } from '../../commands/words.ts'
import { Button } from '../../ui/button.tsx'
import { Failed } from '../../ui/failed.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { campaignWords, testChatWords as words } from '../words.ts'
import { Decision } from './decision.tsx'
import { testQuestionId } from './show-test-chat.ts'
import { type Exchange, type Trial, useTestChat } from './use-test-chat.ts'

export type { Trial } from './use-test-chat.ts'

type Props = { campaign: ShownCampaign; trial: Trial; onMakeEntry: (question: string) => void }

/** Asks the bot as a contact would. Nothing is kept, and nothing is charged. */
export function TestChat({ campaign, trial, onMakeEntry }: Props) {
  const chat = useTestChat(campaign.id, trial)
  const input = useRef<HTMLInputElement>(null)
  const log = useRef<HTMLDivElement>(null)
  useCommands([
    {
      id: 'ask',
      label: campaignWords.keys.ask,
      keys: 't',
      group: keyWords.thisPage,
      run: () => input.current?.focus(),
    },
  ])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new exchange is what moves the log to its end
  useEffect(() => void log.current?.scrollTo(0, log.current.scrollHeight), [chat.exchanges.length, chat.isAsking])
  const thresholds = { ...campaign.settings, ...trial }
  return (
    <section className="pane test-chat" aria-label={words.title}>
      <div className="test-chat-head">
        <h2 className="h-section grow">{words.title}</h2>
        <span className="small faint">{words.about}</span>
        <IconButton label={words.startOver} small onClick={chat.startOver}>
          <RotateCcw className="i i-14" />
        </IconButton>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <div className="test-chat-log" role="log" aria-label={words.log} tabIndex={0} ref={log}>
        {chat.exchanges.length === 0 && <p className="muted">{words.empty}</p>}
        {chat.exchanges.map((exchange) => (
          <ExchangeBubbles
            key={exchange.id}
            exchange={exchange}
            thresholds={thresholds}
            isPaid={campaign.price !== 'none'}
            onMakeEntry={onMakeEntry}
          />
        ))}
        <Failed error={chat.error} />
      </div>
      <form
        className="test-chat-compose"
        onSubmit={(event) => {
          event.preventDefault()
          chat.ask()
        }}
      >
        <input
          id={testQuestionId}
          ref={input}
          aria-label={words.label}
          placeholder={words.hint}
          value={chat.text}
          maxLength={4000}
          dir="auto"
          autoComplete="off"
          onChange={(event) => chat.setText(event.target.value)}
        />
        <Button look="primary" size="sm" type="submit" busy={chat.isAsking && words.asking}>
          {words.ask} <Kbd press="Enter" className="only-wide" />
        </Button>
      </form>
    </section>
  )
}

type Thresholds = { offerThreshold: number; answerThreshold: number }

function ExchangeBubbles({
  exchange,
  thresholds,
  isPaid,
  onMakeEntry,
}: { exchange: Exchange; thresholds: Thresholds; isPaid: boolean } & Pick<Props, 'onMakeEntry'>) {
  const { question, answer } = exchange
  return (
    <>
      <div className="bubble out">
        <div className="bubble-box">
          <span className="bubble-text">{question}</span>
        </div>
      </div>
      {answer && (
        <div className="bubble bot">
          {answer.text !== null && (
            <div className="bubble-box">
              <span className="bubble-text">{answer.text}</span>
            </div>
          )}
          <Decision answer={answer} thresholds={thresholds} isPaid={isPaid} />
          {isMiss(answer) && (
            <Button size="sm" onClick={() => onMakeEntry(question)}>
              {words.makeEntry}
            </Button>
          )}
        </div>
      )}
    </>
  )
}

const isMiss = ({ decision }: TestAnswer) => decision === 'fallback' || decision === 'offer'

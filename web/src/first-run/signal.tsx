import type { FirstRun } from '@patchbay/contract/app/first-run.ts'
import { cableIn, SignalBox, SignalCable, SignalPanel, SignalUs } from '../ui/signal.tsx'
import { receiverState } from './steps.ts'
import { firstRunWords as words } from './words.ts'

/** The two cables: from the platform to us, and from us to the webhook. Each is drawn when its call comes. */
export function Signal({ steps }: { steps: FirstRun }) {
  const isIn = steps.message?.isSimulated === false
  const receiver = receiverState(steps)
  const isOut = receiver === 'tested' || receiver === 'takes'
  return (
    <SignalPanel label={words.signalLabel(isIn, isOut)} height={330}>
      <SignalBox y={1} isOn title={words.platform} says={isIn ? words.platformIn : words.platformNone} />
      <SignalUs title={words.us} says={sayUs(steps)} />
      <SignalBox
        y={263}
        isOn={isOut}
        title={words.receiver}
        says={words.receivers[receiver]}
        waits={!isOut && receiver !== 'none'}
      />
      <SignalCable isOn={isIn} {...cableIn} />
      <SignalCable isOn={isOut} {...cableOut} />
    </SignalPanel>
  )
}

function sayUs({ message, reply }: FirstRun): string {
  if (!message) return words.usWaits
  if (message.isSimulated) return reply ? words.usTriedAnswers : words.usTried
  return reply?.isSimulated === false ? words.usAnswers : words.usKeeps
}

/** The cable from us to the webhook. */
const cableOut = {
  path: 'M206 165C206 240 206 226 206 296',
  loose: { d: 'M206 165C206 214 188 226 160 232', plug: 'translate(152 234) rotate(-12)' },
  jacks: [
    { x: 206, y: 165, isOurs: true },
    { x: 206, y: 296, isOurs: false },
  ],
} as const

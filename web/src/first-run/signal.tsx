import type { FirstRun } from '@patchbay/contract/app/first-run.ts'
import { classes } from '../ui/classes.ts'
import { firstRunWords as words } from '../words/first-run.ts'
import { isDone } from './steps.ts'
import { useTurnedTrue } from './use-turned-true.ts'

/** The two cables: from the platform to us, and from us to the webhook. Each is drawn when its call comes. */
export function Signal({ steps }: { steps: FirstRun }) {
  const isIn = steps.message !== null
  const isOut = isDone(steps, 'webhook') || steps.reply !== null
  return (
    <div className="fr-panel">
      <svg viewBox="0 0 276 330" width="100%" role="img" aria-label={words.signalLabel(isIn, isOut)} className="signal">
        <Box y={1} isOn title={words.platform} says={isIn ? words.platformIn : words.platformNone} />
        <rect x="1" y="131" width="274" height="68" rx="10" className="us" />
        <text x="16" y="160" className="name on-rail">
          {words.us}
        </text>
        <text x="16" y="179" className="says on-rail">
          {steps.reply ? words.usAnswers : isIn ? words.usKeeps : words.usWaits}
        </text>
        <Box
          y={263}
          isOn={isOut}
          title={words.receiver}
          says={sayReceiver(steps)}
          waits={!isOut && steps.webhook !== null}
        />
        <CableIn isOn={isIn} />
        <CableOut isOn={isOut} />
      </svg>
    </div>
  )
}

function sayReceiver(steps: FirstRun): string {
  if (steps.reply) return steps.reply.isSimulated && !steps.webhook ? words.simulatorTakes : words.receiverTakes
  if (isDone(steps, 'webhook')) return words.receiverTested
  return steps.webhook ? words.receiverNoAnswer : words.receiverNone
}

type BoxProps = { y: number; isOn: boolean; title: string; says: string; waits?: boolean }

function Box({ y, isOn, title, says, waits = false }: BoxProps) {
  return (
    <>
      <rect x="1" y={y} width="274" height="66" rx="10" className={classes('box', !isOn && 'open')} />
      <text x="16" y={y + 28} className="name">
        {title}
      </text>
      <text x="16" y={y + 47} className={classes('says', waits && 'waits')}>
        {says}
      </text>
    </>
  )
}

function CableIn({ isOn }: { isOn: boolean }) {
  const isNew = useTurnedTrue(isOn)
  return (
    <>
      {isOn ? (
        <path d="M206 34C206 104 240 96 240 165" pathLength={1} className={classes('cable on', isNew && 'drawn')} />
      ) : (
        <Loose d="M206 34C206 78 216 92 196 104" plug="translate(190 107) rotate(152)" />
      )}
      <circle cx="206" cy="34" r="9" className={classes('jack-ring', isOn && 'on')} />
      <circle cx="240" cy="165" r="9" className={classes('jack-ring on-us', isOn && 'on')} />
      {isOn && (
        <>
          <circle cx="206" cy="34" r="3" className="pin" />
          <circle cx="240" cy="165" r="3" className="pin on-us" />
        </>
      )}
    </>
  )
}

function CableOut({ isOn }: { isOn: boolean }) {
  const isNew = useTurnedTrue(isOn)
  return (
    <>
      {isOn ? (
        <path d="M206 165C206 240 206 226 206 296" pathLength={1} className={classes('cable on', isNew && 'drawn')} />
      ) : (
        <Loose d="M206 165C206 214 188 226 160 232" plug="translate(152 234) rotate(-12)" />
      )}
      <circle cx="206" cy="165" r="9" className={classes('jack-ring on-us', isOn && 'on')} />
      <circle cx="206" cy="296" r="9" className={classes('jack-ring', isOn && 'on')} />
      {isOn && (
        <>
          <circle cx="206" cy="165" r="3" className="pin on-us" />
          <circle cx="206" cy="296" r="3" className="pin" />
        </>
      )}
    </>
  )
}

function Loose({ d, plug }: { d: string; plug: string }) {
  return (
    <>
      <path d={d} className="cable" />
      <rect x="-9" y="-5" width="22" height="10" rx="3" transform={plug} className="plug" />
    </>
  )
}

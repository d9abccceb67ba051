import type { FirstRun } from '@patchbay/contract/app/first-run.ts'
import { classes } from '../ui/classes.ts'
import { receiverState } from './steps.ts'
import { useTurnedTrue } from './use-turned-true.ts'
import { firstRunWords as words } from './words.ts'

/** The two cables: from the platform to us, and from us to the webhook. Each is drawn when its call comes. */
export function Signal({ steps }: { steps: FirstRun }) {
  const isIn = steps.message?.isSimulated === false
  const receiver = receiverState(steps)
  const isOut = receiver === 'tested' || receiver === 'takes'
  return (
    <div className="fr-panel">
      <svg viewBox="0 0 276 330" width="100%" role="img" aria-label={words.signalLabel(isIn, isOut)} className="signal">
        <Box y={1} isOn title={words.platform} says={isIn ? words.platformIn : words.platformNone} />
        <rect x="1" y="131" width="274" height="68" rx="10" className="signal-us" />
        <text x="16" y="160" className="signal-name on-rail">
          {words.us}
        </text>
        <text x="16" y="179" className="signal-says on-rail">
          {sayUs(steps)}
        </text>
        <Box
          y={263}
          isOn={isOut}
          title={words.receiver}
          says={words.receivers[receiver]}
          waits={!isOut && receiver !== 'none'}
        />
        <Cable isOn={isIn} {...cableIn} />
        <Cable isOn={isOut} {...cableOut} />
      </svg>
    </div>
  )
}

function sayUs({ message, reply }: FirstRun): string {
  if (!message) return words.usWaits
  if (message.isSimulated) return reply ? words.usTriedAnswers : words.usTried
  return reply?.isSimulated === false ? words.usAnswers : words.usKeeps
}

type BoxProps = { y: number; isOn: boolean; title: string; says: string; waits?: boolean }

function Box({ y, isOn, title, says, waits = false }: BoxProps) {
  return (
    <>
      <rect x="1" y={y} width="274" height="66" rx="10" className={classes('signal-box', !isOn && 'open')} />
      <text x="16" y={y + 28} className="signal-name">
        {title}
      </text>
      <text x="16" y={y + 47} className={classes('signal-says', waits && 'waits')}>
        {says}
      </text>
    </>
  )
}

type Jack = { x: number; y: number; isOurs: boolean }
type CableProps = { isOn: boolean; path: string; loose: { d: string; plug: string }; jacks: Jack[] }

function Cable({ isOn, path, loose, jacks }: CableProps) {
  const isNew = useTurnedTrue(isOn)
  return (
    <>
      {isOn ? (
        <path d={path} pathLength={1} className={classes('signal-cable on', isNew && 'drawn')} />
      ) : (
        <Loose {...loose} />
      )}
      {jacks.map(({ x, y, isOurs }) => (
        <g key={y}>
          <circle cx={x} cy={y} r="9" className={classes('signal-jack', isOurs && 'on-us', isOn && 'on')} />
          {isOn && <circle cx={x} cy={y} r="3" className={classes('signal-pin', isOurs && 'on-us')} />}
        </g>
      ))}
    </>
  )
}

/** The cable from the platform to us. */
const cableIn = {
  path: 'M206 34C206 104 240 96 240 165',
  loose: { d: 'M206 34C206 78 216 92 196 104', plug: 'translate(190 107) rotate(152)' },
  jacks: [
    { x: 206, y: 34, isOurs: false },
    { x: 240, y: 165, isOurs: true },
  ],
}

/** The cable from us to the webhook. */
const cableOut = {
  path: 'M206 165C206 240 206 226 206 296',
  loose: { d: 'M206 165C206 214 188 226 160 232', plug: 'translate(152 234) rotate(-12)' },
  jacks: [
    { x: 206, y: 165, isOurs: true },
    { x: 206, y: 296, isOurs: false },
  ],
}

function Loose({ d, plug }: { d: string; plug: string }) {
  return (
    <>
      <path d={d} className="signal-cable" />
      <rect x="-9" y="-5" width="22" height="10" rx="3" transform={plug} className="signal-plug" />
    </>
  )
}

import './signal.css'
import type { ReactNode } from 'react'
import { classes } from './classes.ts'
import { useTurnedTrue } from './use-turned-true.ts'

type PanelProps = { label: string; height: number; children: ReactNode }

/** What is connected with what: boxes, and cables that are drawn when a real call comes. */
export function SignalPanel({ label, height, children }: PanelProps) {
  return (
    <div className="signal-panel">
      <svg viewBox={`0 0 276 ${height}`} width="100%" role="img" aria-label={label} className="signal">
        {children}
      </svg>
    </div>
  )
}

/** Ourselves. */
export function SignalUs({ title, says }: { title: string; says: string }) {
  return (
    <>
      <rect x="1" y="131" width="274" height="68" rx="10" className="signal-us" />
      <text x="16" y="160" className="signal-name on-rail">
        {title}
      </text>
      <text x="16" y="179" className="signal-says on-rail">
        {says}
      </text>
    </>
  )
}

type BoxProps = { y: number; isOn: boolean; title: string; says: string; waits?: boolean }

export function SignalBox({ y, isOn, title, says, waits = false }: BoxProps) {
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
type CableProps = { isOn: boolean; path: string; loose: { d: string; plug: string }; jacks: readonly Jack[] }

export function SignalCable({ isOn, path, loose, jacks }: CableProps) {
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

/** The cable from whoever writes to us. */
export const cableIn = {
  path: 'M206 34C206 104 240 96 240 165',
  loose: { d: 'M206 34C206 78 216 92 196 104', plug: 'translate(190 107) rotate(152)' },
  jacks: [
    { x: 206, y: 34, isOurs: false },
    { x: 240, y: 165, isOurs: true },
  ],
} as const

function Loose({ d, plug }: { d: string; plug: string }) {
  return (
    <>
      <path d={d} className="signal-cable" />
      <rect x="-9" y="-5" width="22" height="10" rx="3" transform={plug} className="signal-plug" />
    </>
  )
}

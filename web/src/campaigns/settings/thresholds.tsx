import type { CSSProperties, KeyboardEvent, PointerEvent } from 'react'
import { useRef } from 'react'
import type { SettingsForm } from './use-settings-form.ts'
import { fieldWords, settingWords as words } from './words.ts'

type Mark = 'offerThreshold' | 'answerThreshold'

/** The two thresholds as marks on the scale of scores. The arrow keys move a mark as well as the pointer. */
export function Thresholds({ form }: { form: SettingsForm }) {
  const { offerThreshold: offer, answerThreshold: answer } = form.values
  const scale = useRef<HTMLDivElement>(null)
  const move = (mark: Mark, to: number) => {
    const value = Math.round(Math.min(1, Math.max(0, to)) * 100) / 100
    form.set({ [mark]: mark === 'offerThreshold' ? Math.min(value, answer) : Math.max(value, offer) })
  }
  const style = { '--offer': offer, '--answer': answer } as CSSProperties
  const grip = (mark: Mark) => (
    <Grip
      value={form.values[mark]}
      label={fieldWords[mark]}
      onMove={(to) => move(mark, to)}
      onDrag={({ clientX }) => {
        const box = scale.current?.getBoundingClientRect()
        if (box) move(mark, (clientX - box.left) / box.width)
      }}
    />
  )
  return (
    <div className="bandwrap" style={style} ref={scale}>
      <div className="bandwrap-bands" aria-hidden="true">
        <span>{words.bands.fallback}</span>
        <span>{words.bands.offers}</span>
        <span>{words.bands.answers}</span>
      </div>
      {grip('offerThreshold')}
      {grip('answerThreshold')}
    </div>
  )
}

type GripProps = {
  value: number
  label: string
  onMove: (to: number) => void
  onDrag: (event: PointerEvent<HTMLSpanElement>) => void
}

const steps: Record<string, number> = {
  ArrowLeft: -0.01,
  ArrowDown: -0.01,
  ArrowRight: 0.01,
  ArrowUp: 0.01,
  PageDown: -0.1,
  PageUp: 0.1,
  Home: -1,
  End: 1,
}

function Grip({ value, label, onMove, onDrag }: GripProps) {
  return (
    <span
      className="bandwrap-grip"
      style={{ '--at': value } as CSSProperties}
      data-v={value.toFixed(2)}
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuenow={value}
      aria-valuemin={0}
      aria-valuemax={1}
      onKeyDown={(event: KeyboardEvent) => {
        const step = steps[event.key]
        if (step === undefined) return
        event.preventDefault()
        onMove(value + step)
      }}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={(event) => event.currentTarget.hasPointerCapture(event.pointerId) && onDrag(event)}
    />
  )
}

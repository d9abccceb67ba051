import { type PointerEvent, useEffect, useRef, useState } from 'react'

/** A pointer that was left lying on the list holds it only so long: who waits for a person must appear. */
const restsAfterMs = 20_000

/** Whether the pointer is over the list, so that nothing may move under it. */
export function useHeld() {
  const [isHeld, setHeld] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const hold = ({ pointerType }: PointerEvent) => {
    if (pointerType !== 'mouse') return
    setHeld(true)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setHeld(false), restsAfterMs)
  }
  const release = () => {
    clearTimeout(timer.current)
    setHeld(false)
  }
  return { isHeld, release, events: { onPointerEnter: hold, onPointerMove: hold, onPointerLeave: release } }
}

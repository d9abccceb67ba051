import './popover.css'
import { lazy, type ReactNode, Suspense, useRef, useState } from 'react'

const load = () => import('./tip-float.tsx')
const TipFloat = lazy(() => load().then(({ TipFloat }) => ({ default: TipFloat })))

/**
 * A word or two about what is under the pointer or has the focus. It repeats or adds to the name of what it is about; that
 * one has its own, since nothing is shown under a finger.
 */
export function Tip({ text, children }: { text: ReactNode; children: ReactNode }) {
  const [isShown, setShown] = useState(false)
  const anchor = useRef<HTMLSpanElement>(null)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only listens for where the pointer and the focus are
    <span
      className="tip-anchor"
      ref={anchor}
      onPointerEnter={(event) => event.pointerType === 'mouse' && setShown(true)}
      onPointerLeave={() => setShown(false)}
      onFocus={(event) => event.target.matches(':focus-visible') && setShown(true)}
      onBlur={() => setShown(false)}
      onKeyDown={(event) => event.key === 'Escape' && setShown(false)}
    >
      {children}
      {isShown && (
        <Suspense>
          <TipFloat anchor={anchor} onClose={() => setShown(false)}>
            {text}
          </TipFloat>
        </Suspense>
      )}
    </span>
  )
}

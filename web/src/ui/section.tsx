import './surface.css'
import { type ReactNode, useId } from 'react'

/** A part of a settings page: what it is on the left, its controls on the right. */
export function Section({ title, says, children }: { title: string; says?: ReactNode; children: ReactNode }) {
  const id = useId()
  return (
    <section className="section" aria-labelledby={id}>
      <header>
        <h2 className="h-section" id={id}>
          {title}
        </h2>
        {says && <p>{says}</p>}
      </header>
      <div className="stack stack-4">{children}</div>
    </section>
  )
}

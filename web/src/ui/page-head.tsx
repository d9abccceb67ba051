import './page.css'
import type { ReactNode } from 'react'
import { useTitle } from './use-title.ts'

/** The head of a page: its title, which is also the document's, and what can be done with all of it. */
export function PageHead({ title, sub, children }: { title: string; sub?: ReactNode; children?: ReactNode }) {
  useTitle(title)
  return (
    <header className="page-head">
      <h1 className="h-page">{title}</h1>
      {sub !== undefined && <span className="page-head-sub">{sub}</span>}
      {children}
    </header>
  )
}

import './page.css'
import type { ReactNode } from 'react'
import { useTitle } from './use-title.ts'

type Props = {
  title: string
  /** The page that this one is a part of: a link. */
  crumb?: ReactNode
  /** What stands before the title. */
  mark?: ReactNode
  sub?: ReactNode
  children?: ReactNode
}

/** The head of a page: its title, which is also the document's, and what can be done with all of it. */
export function PageHead({ title, crumb, mark, sub, children }: Props) {
  useTitle(title)
  return (
    <header className="page-head">
      {crumb && <p className="crumb page-head-crumb">{crumb}</p>}
      {mark}
      <h1 className="h-page">
        <bdi>{title}</bdi>
      </h1>
      {sub !== undefined && <span className="page-head-sub">{sub}</span>}
      {children}
    </header>
  )
}

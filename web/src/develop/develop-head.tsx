import '../ui/page.css'
import '../ui/tabs.css'
import './develop-head.css'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { read } from '../data/queries.ts'
import { countDone, usualLane } from '../first-run/steps.ts'
import { shellWords as words } from '../shell/words.ts'

/** The head of the pages under Develop, with the way from one to another. */
export function DevelopHead({ says, children }: { says: string; children?: ReactNode }) {
  const steps = useQuery(read('GET /api/first-run')).data
  return (
    <>
      <header className="page-head develop-head">
        <h1 className="h-page">{words.develop}</h1>
        <div className="row end wrap">
          <span className="muted">{says}</span>
          {children}
        </div>
      </header>
      <nav className="tabs" aria-label={words.developNav}>
        <Link to="/develop/reference">{words.reference}</Link>
        <Link to="/develop/simulator">{words.simulator}</Link>
        <Link to="/develop/calls">{words.lastCalls}</Link>
        <Link to="/first-run">
          {words.firstRun}{' '}
          {steps && <span className="tabs-pill">{words.stepsDone(countDone(steps, usualLane(steps)))}</span>}
        </Link>
      </nav>
    </>
  )
}

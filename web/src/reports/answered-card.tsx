import '../ui/surface.css'
import type { Report } from '@patchbay/contract/app/reports.ts'
import { lazy, Suspense, useState } from 'react'
import { Seg } from '../ui/seg.tsx'
import { WaitingBlock } from '../ui/waiting.tsx'
import { About } from './about.tsx'
import { AnsweredChart } from './answered-chart.tsx'
import { reportWords as words } from './words.ts'

const DayTable = lazy(() => import('./day-table.tsx').then(({ DayTable }) => ({ default: DayTable })))

/** Who answered, as a chart or as its table. */
export function AnsweredCard({ report: { days, total, isMetered } }: { report: Report }) {
  const [view, setView] = useState<'chart' | 'table'>('chart')
  const keys = [
    ['byBot', words.bot],
    ['byPerson', words.person],
    ...(total.byApi > 0 ? [['byApi', words.api]] : []),
    ['byNobody', words.nobody],
  ]
  const options = (['chart', 'table'] as const).map((value) => ({ value, label: words[value] }))
  return (
    <section className="card" aria-labelledby="who-answered">
      <div className="card-head wrap">
        <h2 className="h-section" id="who-answered">
          {words.who}
        </h2>
        <span className="grow">
          <About figure={words.who} says={words.about.who} />
        </span>
        {view === 'chart' &&
          keys.map(([part, name]) => (
            <span key={part} className={`reports-key reports-${part}`}>
              <i aria-hidden="true" />
              {name}
            </span>
          ))}
        <Seg label={words.view} value={view} options={options} onChange={setView} />
      </div>
      {view === 'chart' ? (
        <div className="card-body">
          <AnsweredChart key={days.length} days={days} />
        </div>
      ) : (
        <Suspense fallback={<WaitingBlock height={220} />}>
          <DayTable days={days} hasApi={total.byApi > 0} isMetered={isMetered} />
        </Suspense>
      )}
    </section>
  )
}

import './reports.css'
import type { Report } from '@patchbay/contract/app/reports.ts'
import { type ReportRange, reportRanges } from '@patchbay/contract/report-ranges.ts'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import Download from 'lucide-react/icons/download'
import LoaderCircle from 'lucide-react/icons/loader-circle'
import { read } from '../data/queries.ts'
import { buttonClass } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { ErrorState } from '../ui/error-state.tsx'
import { Note } from '../ui/note.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { Seg } from '../ui/seg.tsx'
import { Loading, Skeleton } from '../ui/skeleton.tsx'
import { AnsweredCard } from './answered-card.tsx'
import { ChannelMenu } from './channel-menu.tsx'
import { ChannelTable } from './channel-table.tsx'
import { FiguresRow } from './figures-row.tsx'
import { reportWords as words } from './words.ts'

const route = getRouteApi('/shell/reports')

/** Sums change every few seconds, and nobody needs them sooner than this. */
const refetchMs = 30_000

/** Figures of the last days, of all channels or one. */
export function Reports() {
  const { range = '30', channel } = route.useSearch()
  const navigate = useNavigate()
  const asked = { range, ...(channel !== undefined && { channel }) }
  const report = useQuery({
    ...read('GET /api/reports', { query: asked }),
    refetchInterval: (query) => (query.state.data?.counting == null ? refetchMs : 2_000),
    placeholderData: keepPreviousData,
  })
  const show = (change: { range?: ReportRange; channel?: string | undefined }) =>
    void navigate({ to: '/reports', search: { range, channel, ...change }, replace: true })
  return (
    <>
      <PageHead title={words.title}>
        <Seg
          label={words.range}
          value={range}
          options={reportRanges.map((value) => ({ value, label: words.ranges[value] }))}
          onChange={(value) => show({ range: value })}
        />
        <div className="row end">
          <ChannelMenu
            channels={report.data?.allChannels ?? []}
            chosen={channel}
            onChoose={(label) => show({ channel: label })}
          />
          <a className={buttonClass()} href={`/api/reports/csv?${new URLSearchParams(asked)}`} download>
            <Download className="i" />
            {words.csv}
          </a>
        </div>
      </PageHead>
      <div className="page reports">
        {report.data ? (
          <ReportDetails report={report.data} range={range} isFiltered={channel !== undefined} />
        ) : report.error ? (
          <ErrorState error={report.error} retry={() => void report.refetch()} />
        ) : (
          <ReportsLoading />
        )}
      </div>
    </>
  )
}

function ReportDetails({ report, range, isFiltered }: { report: Report; range: ReportRange; isFiltered: boolean }) {
  const { total, before, counting, channels } = report
  const isEmpty = [total, before].every(({ messagesIn, messagesOut }) => messagesIn + messagesOut === 0)
  return (
    <>
      {counting !== null && (
        <Note icon={LoaderCircle} role="status">
          {words.counting(counting)}
        </Note>
      )}
      {isEmpty && !isFiltered && counting === null ? (
        <Empty title={words.empty} says={words.emptySays} art>
          <Link to="/develop/simulator" className={buttonClass('primary')}>
            {words.tryIt}
          </Link>
        </Empty>
      ) : (
        <>
          <FiguresRow report={report} range={range} />
          <AnsweredCard report={report} />
          <ChannelTable channels={channels} isMetered={report.isMetered} />
          <Footer report={report} />
        </>
      )}
    </>
  )
}

function Footer({ report: { openQuestions, timeZone } }: { report: Report }) {
  return (
    <div className="stack">
      {openQuestions && (
        <p className="muted">
          {words.couldNot}{' '}
          <Link
            to="/campaigns/$campaignId"
            params={{ campaignId: openQuestions.campaignId }}
            search={{ tab: 'unanswered' }}
          >
            {words.questions(openQuestions.times, openQuestions.groups)}
          </Link>
          . {words.teaching(openQuestions.largest)}
        </p>
      )}
      <p className="muted">
        {words.zone(timeZone)} <Link to="/settings/account">{words.changeZone}</Link>
      </p>
    </div>
  )
}

function ReportsLoading() {
  return (
    <Loading>
      {[98, 300, 240].map((height) => (
        <Skeleton key={height} width="100%" height={height} />
      ))}
    </Loading>
  )
}

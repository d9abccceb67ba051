import '../../ui/surface.css'
import '../../credits/credits.css'
import type { OwnCredits } from '@patchbay/contract/app/agency.ts'
import { sayBuiltIn } from '@patchbay/contract/channels.ts'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import { formatCredits } from '../../credits/amount.ts'
import { BalanceChart } from '../../credits/balance-chart.tsx'
import { BalanceFacts } from '../../credits/balance-facts.tsx'
import { HistoryCard } from '../../credits/history-card.tsx'
import { creditWords as words } from '../../credits/words.ts'
import { read } from '../../data/queries.ts'
import { readPages } from '../../data/read-pages.ts'
import { useRefresh } from '../../data/use-refresh.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { KeyValues } from '../../ui/kv.tsx'
import { Note } from '../../ui/note.tsx'
import { Loading, Skeleton } from '../../ui/skeleton.tsx'
import { SettingsPage } from '../settings-page.tsx'

/** Settings › Credits of a sub-account: to be read, not to be changed. */
export function CreditSettings() {
  useRefresh(['account', 'credits'], ['GET /api/credits', 'GET /api/credits/history'])
  const credits = useQuery({ ...read('GET /api/credits'), refetchInterval: 30_000 })
  return (
    <SettingsPage title={words.title} sub={credits.data && words.says(credits.data.agencyName)}>
      <div className="page narrow">
        {credits.data ? (
          <CreditDetails credits={credits.data} />
        ) : credits.error ? (
          <ErrorState error={credits.error} retry={() => void credits.refetch()} />
        ) : (
          <Loading>
            <Skeleton width="40%" height={40} />
            <Skeleton width="100%" height={150} />
          </Loading>
        )}
      </div>
    </SettingsPage>
  )
}

function CreditDetails({ credits }: { credits: OwnCredits }) {
  const { balance, held, days, recharge, campaigns, channels, agencyName } = credits
  return (
    <>
      <Warning credits={credits} />
      <BalanceFacts balance={balance} held={held} days={days} />
      <BalanceChart days={days} threshold={recharge?.threshold} />
      <section className="stack" aria-label={words.prices}>
        <h2 className="h-section">{words.prices}</h2>
        <p className="small muted">{words.pricesSays(agencyName)}</p>
        <KeyValues
          lines={[
            ...campaigns.map(
              ({ id, name, creditsPerReply }) =>
                [words.answerOf(name), <Amount key={id} text={formatCredits(creditsPerReply)} />] as const,
            ),
            ...channels.map(
              ({ id, kind, name, creditsPerMessage }) =>
                [
                  words.messageOver(sayBuiltIn({ kind, name })),
                  <Amount key={id} text={formatCredits(creditsPerMessage)} />,
                ] as const,
            ),
            [
              words.recharge,
              recharge
                ? words.rechargeSays(formatCredits(recharge.threshold), formatCredits(recharge.amount))
                : words.rechargeOff,
            ],
          ]}
        />
      </section>
      <OwnHistory />
    </>
  )
}

const Amount = ({ text }: { text: string }) => <span className="mono">{text}</span>

function Warning({ credits: { state, recharge, agencyName } }: { credits: OwnCredits }) {
  if (state === 'ok') return null
  const [title, says] =
    state === 'empty'
      ? [words.empty, words.emptySays(agencyName)]
      : [words.low, recharge?.isAsked ? words.lowAsked(agencyName) : '']
  return (
    <Note icon={TriangleAlert} tone={state === 'empty' ? 'fail' : 'wait'}>
      <b className="strong">{title}</b> {says}
    </Note>
  )
}

function OwnHistory() {
  const pages = useInfiniteQuery(readPages('GET /api/credits/history'))
  return <HistoryCard pages={pages} csv="/api/credits/history/csv" />
}

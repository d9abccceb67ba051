import './agency.css'
import '../ui/surface.css'
import type { LedgerCheck } from '@patchbay/contract/app/agency.ts'
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import Plus from 'lucide-react/icons/plus'
import ShieldAlert from 'lucide-react/icons/shield-alert'
import ShieldCheck from 'lucide-react/icons/shield-check'
import Webhook from 'lucide-react/icons/webhook'
import { useDeferredValue, useState } from 'react'
import { useCommands } from '../commands/commands.ts'
import { keyWords } from '../commands/words.ts'
import { read } from '../data/queries.ts'
import { readPages } from '../data/read-pages.ts'
import { useRefresh } from '../data/use-refresh.ts'
import { Button, buttonClass } from '../ui/button.tsx'
import { classes } from '../ui/classes.ts'
import { Empty } from '../ui/empty.tsx'
import { Kbd } from '../ui/kbd.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { Pages } from '../ui/pages.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { Seg } from '../ui/seg.tsx'
import { Time } from '../ui/time.tsx'
import { useMedia } from '../ui/use-media.ts'
import { WaitingLines } from '../ui/waiting.tsx'
import { Inspector } from './inspector.tsx'
import { NewSubaccount } from './new-subaccount.tsx'
import { rechargeWords } from './recharge-words.ts'
import type { SubaccountOrder } from './subaccount-query.ts'
import { SubaccountTable } from './subaccount-table.tsx'
import { agencyWords as words } from './words.ts'

const route = getRouteApi('/shell/agency')
type Filter = 'all' | 'low'

/** Sub-accounts with their balances; the selected one beside them, under them where there is no room. */
export function Agency() {
  const { id } = route.useSearch()
  const [filter, setFilter] = useState<Filter>('all')
  const [sort, setSort] = useState<SubaccountOrder>('newest')
  const [text, setText] = useState('')
  const [isMaking, setMaking] = useState(false)
  const q = useDeferredValue(text.trim())
  const pages = usePages(q, filter, sort)
  const me = useQuery(read('GET /api/session')).data
  const isWide = useMedia('(width >= 1360px)')
  useCommands([
    {
      id: 'new sub-account',
      label: words.keys.create,
      keys: 'c',
      group: keyWords.thisPage,
      run: () => setMaking(true),
    },
  ])
  const shown = pages.data?.pages.flatMap((page) => page.subaccounts) ?? []
  const counts = pages.data?.pages[0]
  // Whoever is first may be another at any time, where they are sorted by balance.
  const [keptId, setKept] = useState<string>()
  const openId = id ?? (isWide ? (keptId ?? shown[0]?.id) : undefined)
  if (openId !== undefined && openId !== keptId) setKept(openId)
  return (
    <>
      <PageHead title={words.title} sub={me && counts && words.sub(me.account.name, counts.total)}>
        <div className="row end wrap agency-acts">
          {counts?.ledgerCheck && <LedgerCheckLine check={counts.ledgerCheck} />}
          <Link to="/agency/recharge" className={buttonClass('quiet')}>
            <Webhook className="i" />
            {rechargeWords.link}
          </Link>
          <Button look="primary" onClick={() => setMaking(true)}>
            <Plus className="i" />
            {words.newOne}
            <Kbd press="c" />
          </Button>
        </div>
      </PageHead>
      <NewSubaccount isMaking={isMaking} onDone={() => setMaking(false)} />
      <div className="agency">
        <section aria-label={words.table}>
          <div className="bar">
            <SearchField label={words.search} placeholder={words.searchHint} value={text} onChange={setText} />
            <Seg
              label={words.filter}
              value={filter}
              options={[
                { value: 'all', label: words.all },
                { value: 'low', label: <Low count={counts?.low ?? 0} /> },
              ]}
              onChange={setFilter}
            />
          </div>
          <Pages
            pages={pages}
            isEmpty={shown.length === 0}
            waiting={<WaitingLines widths={[52, 60, 48, 56]} height={32} />}
            nothing={<Nobody q={q} filter={filter} onMake={() => setMaking(true)} />}
            more={words.more}
            wide
          >
            <SubaccountTable subaccounts={shown} openId={openId} sort={sort} onSort={setSort} />
          </Pages>
        </section>
        {openId !== undefined && <Inspector key={openId} accountId={openId} isAsked={id !== undefined && !isWide} />}
      </div>
    </>
  )
}

function usePages(q: string, filter: Filter, sort: SubaccountOrder) {
  useRefresh(
    ['account', 'credits'],
    [
      'GET /api/agency/subaccounts',
      'GET /api/agency/subaccounts/:accountId',
      'GET /api/agency/subaccounts/:accountId/history',
    ],
    2_000, // every answer of a busy sub-account is a hint
  )
  return useInfiniteQuery({
    ...readPages('GET /api/agency/subaccounts', { query: { filter, sort, ...(q !== '' && { q }) } }),
    placeholderData: keepPreviousData,
  })
}

/** The check of all balances against their histories. */
function LedgerCheckLine({ check: { at, addsUp } }: { check: LedgerCheck }) {
  const Icon = addsUp ? ShieldCheck : ShieldAlert
  return (
    <span className={classes('small row ledger-check', addsUp ? 'muted' : 'fail')} title={words.ledgerSays}>
      <Icon className="i i-14" />
      <span>
        {addsUp ? words.ledgerAddsUp : words.ledgerDiffers} <Time at={at} as="clock" />
      </span>
    </span>
  )
}

function Low({ count }: { count: number }) {
  return (
    <>
      {words.low}
      {count > 0 && <b className="wait">{count}</b>}
    </>
  )
}

function Nobody({ q, filter, onMake }: { q: string; filter: Filter; onMake: () => void }) {
  if (q !== '') return <Empty title={words.noneFound(q)} />
  if (filter === 'low') return <Empty title={words.noneLow} says={words.noneLowSays} />
  return (
    <Empty title={words.none} says={words.noneSays} art>
      <Button onClick={onMake}>{words.newOne}</Button>
    </Empty>
  )
}

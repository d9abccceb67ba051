import type { SubaccountDetail } from '@patchbay/contract/app/agency.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import LogIn from 'lucide-react/icons/log-in'
import { useEffect, useRef } from 'react'
import { BalanceChart } from '../credits/balance-chart.tsx'
import { BalanceFacts } from '../credits/balance-facts.tsx'
import { call } from '../data/api.ts'
import { Button } from '../ui/button.tsx'
import { ErrorState, sayError } from '../ui/error-state.tsx'
import { Loading, Skeleton } from '../ui/skeleton.tsx'
import { showToast } from '../ui/toast.ts'
import { History } from './history.tsx'
import { RechargeForm } from './recharge-form.tsx'
import { SettingsForm } from './settings-form.tsx'
import { subaccountQuery } from './subaccount-query.ts'
import { agencyWords as words } from './words.ts'

/** One sub-account. `isAsked`: it was opened under the table, so it is brought into view. */
export function Inspector({ accountId, isAsked }: { accountId: string; isAsked: boolean }) {
  const { data, error, refetch } = useQuery(subaccountQuery(accountId))
  const pane = useRef<HTMLElement>(null)
  const isThere = data !== undefined
  useEffect(() => {
    if (isAsked && isThere) pane.current?.scrollIntoView({ block: 'start' })
  }, [isAsked, isThere])
  return (
    <aside className="insp" aria-label={data?.subaccount.name ?? words.columns.name} ref={pane}>
      {data ? (
        <SubaccountDetails detail={data} />
      ) : error ? (
        <ErrorState error={error} retry={() => void refetch()} />
      ) : (
        <Loading>
          <Skeleton width="60%" height={40} />
          <Skeleton width="100%" height={150} />
        </Loading>
      )}
    </aside>
  )
}

function SubaccountDetails({ detail }: { detail: SubaccountDetail }) {
  const { subaccount, days } = detail
  const { id, name, email, balance, held, recharge } = subaccount
  return (
    <>
      <div className="row between wrap">
        <div className="insp-who">
          <h2 className="h-section">
            <bdi>{name}</bdi>
          </h2>
          <span className="small muted">{email}</span>
        </div>
        <Visit accountId={id} />
      </div>
      <BalanceFacts balance={balance} held={held} days={days} />
      <BalanceChart days={days} threshold={recharge?.threshold} />
      <RechargeForm key={`${recharge?.threshold} ${recharge?.amount}`} subaccount={subaccount} />
      <History accountId={id} />
      <SettingsForm detail={detail} />
    </>
  )
}

/** Opens the app of the sub-account. The page is loaded anew, so that nothing of the agency stays in it. */
function Visit({ accountId }: { accountId: string }) {
  const visit = useMutation({
    mutationFn: () => call('POST /api/session/visit', { body: { accountId } }),
    onSuccess: () => location.assign('/'),
    onError: (error) => showToast({ text: sayError(error).title }),
  })
  return (
    <Button title={words.openHint} busy={visit.isPending && words.opening} onClick={() => visit.mutate()}>
      <LogIn className="i" />
      {words.open}
    </Button>
  )
}

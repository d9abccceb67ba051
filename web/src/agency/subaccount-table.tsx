import type { ListedSubaccount } from '@patchbay/contract/app/agency.ts'
import { Link } from '@tanstack/react-router'
import Clock from 'lucide-react/icons/clock'
import { Fragment, useState } from 'react'
import { formatCredits } from '../credits/amount.ts'
import { sparkOf } from '../credits/chart.ts'
import { Decimal } from '../credits/decimal.tsx'
import { Button } from '../ui/button.tsx'
import { classes } from '../ui/classes.ts'
import { SortHead } from '../ui/sort-head.tsx'
import { Table } from '../ui/table.tsx'
import { Tag } from '../ui/tag.tsx'
import { GrantForm } from './grant-form.tsx'
import type { SubaccountOrder } from './subaccount-query.ts'
import { agencyWords as words } from './words.ts'

export function SubaccountTable({
  subaccounts,
  openId,
  sort,
  onSort,
}: {
  subaccounts: ListedSubaccount[]
  openId: string | undefined
  sort: SubaccountOrder
  onSort: (sort: SubaccountOrder) => void
}) {
  const [grantingId, setGranting] = useState<string>()
  const sortBy = (order: SubaccountOrder) => ({
    isOn: sort === order,
    onChange: (isOn: boolean) => onSort(isOn ? order : 'newest'),
  })
  const { name, balance, held, days, recharge, actions } = words.columns
  return (
    <Table label={words.table} className="subs">
      <thead>
        <tr>
          <SortHead label={name} {...sortBy('name')} />
          <SortHead label={balance} className="num" {...sortBy('balance')} />
          <th className="num s-held">{held}</th>
          <th className="s-days">{days}</th>
          <th className="subs-recharge">{recharge}</th>
          <th>
            <span className="sr">{actions}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {subaccounts.map((one) => (
          <Fragment key={one.id}>
            <Row
              one={one}
              isOpen={one.id === openId}
              onGrant={() => setGranting(grantingId === one.id ? undefined : one.id)}
            />
            {grantingId === one.id && (
              <tr className="grant-row">
                <td colSpan={6}>
                  <GrantForm subaccount={one} onDone={() => setGranting(undefined)} />
                </td>
              </tr>
            )}
          </Fragment>
        ))}
      </tbody>
    </Table>
  )
}

function Row({ one, isOpen, onGrant }: { one: ListedSubaccount; isOpen: boolean; onGrant: () => void }) {
  return (
    <tr className={classes(isOpen && 'subs-open')}>
      <th scope="row" className="subs-name">
        <Link
          to="/agency"
          search={{ id: one.id }}
          aria-current={isOpen ? 'true' : undefined}
          className="strong cut"
          title={one.name}
        >
          <bdi>{one.name}</bdi>
        </Link>
        <span className="small muted cut">{one.email}</span>
      </th>
      <td data-label={words.columns.balance} className={classes('num mono', one.state === 'empty' && 'fail')}>
        <Decimal credits={one.balance} />
      </td>
      <td data-label={words.columns.held} className="num mono faint s-held">
        {formatCredits(one.held)}
      </td>
      <td className="s-days">
        <svg width="84" height="22" viewBox="0 0 84 22" aria-hidden="true" className={`subs-spark is-${one.state}`}>
          <path d={sparkOf(one.spark, { width: 84, height: 22 })} />
        </svg>
      </td>
      <td data-label={words.columns.recharge} className="small subs-recharge">
        <State one={one} />
      </td>
      <td className="subs-act">
        <Button size="sm" aria-label={words.grantTo(one.name)} onClick={onGrant}>
          {words.grant}
        </Button>
      </td>
    </tr>
  )
}

function State({ one: { state, recharge } }: { one: ListedSubaccount }) {
  if (state === 'empty') return <Tag tone="fail">{words.silent}</Tag>
  if (recharge?.isAsked) {
    return (
      <Tag tone="wait">
        <Clock className="i" />
        {words.asked}
      </Tag>
    )
  }
  if (!recharge) return <span className="faint">{words.off}</span>
  return (
    <span className="mono">
      {formatCredits(recharge.threshold)} → {formatCredits(recharge.amount)}
    </span>
  )
}

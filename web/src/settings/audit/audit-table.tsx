import type { Act, AuditEvent } from '@patchbay/contract/app/audit.ts'
import Building2 from 'lucide-react/icons/building-2'
import Coins from 'lucide-react/icons/coins'
import KeyRound from 'lucide-react/icons/key-round'
import LogIn from 'lucide-react/icons/log-in'
import RefreshCw from 'lucide-react/icons/refresh-cw'
import Trash2 from 'lucide-react/icons/trash-2'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import UsersRound from 'lucide-react/icons/users-round'
import Webhook from 'lucide-react/icons/webhook'
import type { ComponentType } from 'react'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { actWords, idsOf, auditWords as words } from './words.ts'

export function AuditTable({ events }: { events: AuditEvent[] }) {
  const { when, who, what, from } = words.columns
  return (
    <Table label={words.table} className="audit-table">
      <thead>
        <tr>
          <th>{when}</th>
          <th>{who}</th>
          <th>{what}</th>
          <th>{from}</th>
        </tr>
      </thead>
      <tbody>
        {events.map((event) => (
          <Line event={event} key={event.id} />
        ))}
      </tbody>
    </Table>
  )
}

function Line({ event: { at, actor, act, details, address } }: { event: AuditEvent }) {
  const Icon = iconOf(act)
  return (
    <tr>
      <td className="faint">
        <Time at={at} as="clock" />
      </td>
      <td>{actor.name ?? words.actors[actor.kind]}</td>
      <th scope="row">
        <span className="row">
          <Icon className="i" />
          <span title={idsOf(details)}>{actWords[act](details)}</span>
        </span>
      </th>
      <td className="mono muted">{address === 'loopback' ? words.thisMachine : address}</td>
    </tr>
  )
}

const icons: [RegExp, ComponentType<{ className?: string }>][] = [
  [/failed/, TriangleAlert],
  [/^signed/, LogIn],
  [/key|password/, KeyRound],
  [/secret/, RefreshCw],
  [/webhook/, Webhook],
  [/erased/, Trash2],
  [/visit|sub-account/, Building2],
  [/credits|movement|recharge/, Coins],
]

function iconOf(act: Act): ComponentType<{ className?: string }> {
  return icons.find(([pattern]) => pattern.test(act))?.[1] ?? UsersRound
}

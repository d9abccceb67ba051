import './credits.css'
import type { Movement, OwnMovement } from '@patchbay/contract/app/agency.ts'
import { Link } from '@tanstack/react-router'
import { Fragment, type ReactNode } from 'react'
import { classes } from '../ui/classes.ts'
import { Table } from '../ui/table.tsx'
import { Tag } from '../ui/tag.tsx'
import { Time } from '../ui/time.tsx'
import { formatChange, formatCredits } from './amount.ts'
import { creditWords as words } from './words.ts'

type AnyMovement = Movement | OwnMovement

/** The rows of a history. `act` gives the last cell of a row, `under` what is open under it. */
export function Movements<One extends AnyMovement>({
  movements,
  act,
  under,
}: {
  movements: One[]
  act?: (movement: One) => ReactNode
  under?: (movement: One) => ReactNode
}) {
  const { when, what, by, credits, balance, actions } = words.columns
  return (
    <Table label={words.table} inCard className="movements">
      <thead>
        <tr>
          <th>{when}</th>
          <th>{what}</th>
          <th className="movements-by">{by}</th>
          <th className="num">{credits}</th>
          <th className="num">{balance}</th>
          {act && (
            <th>
              <span className="sr">{actions}</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {movements.map((movement) => (
          <Fragment key={movement.id}>
            <tr>
              <td className="movements-when faint">
                <Time at={movement.at} as="clock" />
              </td>
              <th scope="row" className="movements-what">
                <What movement={movement} /> {movement.isReversed && <Tag tone="line">{words.wasReversed}</Tag>}
                <span className="small muted movements-who">{sayBy(movement)}</span>
              </th>
              <td className="movements-by muted">{sayBy(movement)}</td>
              <td className={classes('num mono', movement.amount > 0 && 'movements-plus')}>
                {formatChange(movement.amount)}
              </td>
              <td className="num mono" data-label={balance}>
                {formatCredits(movement.balanceAfter)}
              </td>
              {act && <td className="movements-act">{act(movement)}</td>}
            </tr>
            {under?.(movement)}
          </Fragment>
        ))}
      </tbody>
    </Table>
  )
}

const sayBy = ({ by }: AnyMovement) => by.name ?? words.by[by.kind]

function What({ movement }: { movement: AnyMovement }) {
  const { kind, description } = movement
  if (kind === 'grant') return <bdi>{description ?? words.grant}</bdi>
  if (kind === 'reversal') return <bdi>{description === null ? words.reversal : words.reversed(description)}</bdi>
  if (!('contact' in movement) || movement.contact === null) return <bdi>{description ?? words.answer}</bdi>
  return (
    <>
      <bdi>{description === null ? words.answerTo : words.messageTo(description)}</bdi>{' '}
      <Link to="/inbox/$contactId" params={{ contactId: movement.contact.id }}>
        <bdi>{movement.contact.name ?? words.nameless}</bdi>
      </Link>
    </>
  )
}

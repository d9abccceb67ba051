import '../ui/surface.css'
import type { Movement } from '@patchbay/contract/app/agency.ts'
import { limits } from '@patchbay/contract/limits.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { formatCredits } from '../credits/amount.ts'
import { HistoryCard } from '../credits/history-card.tsx'
import { call } from '../data/api.ts'
import { readPages } from '../data/read-pages.ts'
import { Button } from '../ui/button.tsx'
import { sayError } from '../ui/error-state.tsx'
import { Field } from '../ui/field.tsx'
import { showToast } from '../ui/toast.ts'
import { useForm } from '../ui/use-form.ts'
import { refreshCredits } from './subaccount-query.ts'
import { agencyWords as words } from './words.ts'

const path = '/api/agency/subaccounts/:accountId'

/** Every movement, with the way to take it back. It names no contact. */
export function History({ accountId }: { accountId: string }) {
  const [openId, setOpen] = useState<string>()
  const pages = useInfiniteQuery(readPages(`GET ${path}/history`, { params: { accountId } }))
  return (
    <HistoryCard
      pages={pages}
      csv={`${path.replace(':accountId', accountId)}/history/csv`}
      act={({ id, kind, isReversed, amount }: Movement) =>
        kind !== 'reversal' &&
        !isReversed && (
          <Button
            look="quiet"
            size="sm"
            aria-label={words.takeBackWhat(formatCredits(amount))}
            onClick={() => setOpen(openId === id ? undefined : id)}
          >
            {words.takeBack}
          </Button>
        )
      }
      under={(movement: Movement) =>
        movement.id === openId && (
          <tr className="grant-row">
            <td colSpan={6}>
              <TakeBack accountId={accountId} movement={movement} onDone={() => setOpen(undefined)} />
            </td>
          </tr>
        )
      }
    />
  )
}

type Props = { accountId: string; movement: Movement; onDone: () => void }

function TakeBack({ accountId, movement, onDone }: Props) {
  const form = useForm({
    initial: { reason: '' },
    send: ({ reason }) =>
      call(`POST ${path}/reversals`, {
        params: { accountId },
        body: { movementId: movement.id, ...(reason.trim() !== '' && { description: reason.trim() }) },
      }),
    onSaved: () => {
      showToast({ text: words.tookBack })
      refreshCredits()
      onDone()
    },
    place: (error) => ({ reason: sayError(error).title }),
  })
  return (
    <form {...form.form} className="stack stack-3" onKeyDown={(event) => event.key === 'Escape' && onDone()}>
      <Field label={words.reason} autoFocus maxLength={limits.descriptionCharacters} {...form.field('reason')} />
      <div className="row wrap">
        <Button type="submit" look="destroy" busy={form.isSending && words.takingBack}>
          {words.takeBackWhat(formatCredits(Math.abs(movement.amount)))}
        </Button>
        <Button look="quiet" onClick={onDone}>
          {words.cancel}
        </Button>
      </div>
    </form>
  )
}

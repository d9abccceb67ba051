import { useMutation } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { call } from '../../../data/api.ts'
import { Button } from '../../../ui/button.tsx'
import { sayError } from '../../../ui/error-state.tsx'
import { Note } from '../../../ui/note.tsx'
import { showToast } from '../../../ui/toast.ts'
import { refetchLog } from './use-send-again.ts'
import { deliveryWords as words } from './words.ts'

const hourMs = 3_600_000
/** The times that are offered. The longest is a minute less than the server allows, so that its clock may be ahead. */
const windows = { hour: hourMs, day: 24 * hourMs, week: 168 * hourMs, fortnight: 336 * hourMs - 60_000 } as const
type Window = keyof typeof windows

/** Sends all failed replies of a time again; asked for in its place. */
export function ResendFailed({ onDone }: { onDone: () => void }) {
  const id = useId()
  const [since, setSince] = useState<Window>('day')
  const resend = useMutation({
    mutationFn: () =>
      call('POST /api/deliveries/resend', { body: { since: new Date(Date.now() - windows[since]).toISOString() } }),
    onSuccess: ({ resent }) => {
      showToast({ text: words.resent(resent) })
      refetchLog()
      onDone()
    },
    onError: (error) => showToast({ text: sayError(error).title }),
  })
  return (
    <Note>
      <form
        className="row wrap"
        onSubmit={(event) => {
          event.preventDefault()
          resend.mutate()
        }}
      >
        <label className="strong" htmlFor={id}>
          {words.resendTitle}
        </label>
        <select
          id={id}
          className="select resend-since"
          value={since}
          onChange={(event) => setSince(event.target.value as Window)}
        >
          {Object.entries(words.windows).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
        <Button type="submit" busy={resend.isPending && words.resending}>
          {words.resend}
        </Button>
        <Button look="quiet" onClick={onDone}>
          {words.cancel}
        </Button>
      </form>
    </Note>
  )
}

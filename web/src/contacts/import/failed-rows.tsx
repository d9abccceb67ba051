import type { ImportError, ShownImport } from '@patchbay/contract/app/imports.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import Download from 'lucide-react/icons/download'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import { useId } from 'react'
import { call, callWithSignal } from '../../data/api.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { sayError } from '../../ui/error-state.tsx'
import { useForm } from '../../ui/use-form.ts'
import { refreshImports } from './use-imports.ts'
import { importWords as words } from './words.ts'

/** Rows that were not imported: each with what is wrong, and a place to mend it. */
export function FailedRows({ job }: { job: ShownImport }) {
  const params = { importId: job.id }
  const pages = useInfiniteQuery({
    queryKey: ['GET /api/imports/:importId/errors', params] as const,
    queryFn: ({ pageParam: after, signal }) =>
      callWithSignal('GET /api/imports/:importId/errors', signal, { params, query: after ? { after } : {} }),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
  })
  const errors = pages.data?.pages.flatMap((page) => page.errors) ?? []
  return (
    <section className="stack" aria-label={words.need(job.failed)}>
      <div className="row between">
        <h3 className="h-section">{words.need(job.failed)}</h3>
        <a className={buttonClass('outline', 'sm')} href={`/api/imports/${job.id}/errors/csv`} download>
          <Download className="i i-14" />
          {words.csv}
        </a>
      </div>
      <ul className="import-errors">
        {errors.map((error) => (
          <FailedRow key={error.n} importId={job.id} error={error} />
        ))}
      </ul>
      <div className="row between">
        {pages.hasNextPage && errors.length > 0 ? (
          <Button look="quiet" size="sm" onClick={() => void pages.fetchNextPage()}>
            {words.more(job.failed - errors.length)}
          </Button>
        ) : (
          <span />
        )}
        <span className="small muted">{words.kept}</span>
      </div>
    </section>
  )
}

function FailedRow({ importId, error }: { importId: string; error: ImportError }) {
  const { n, line, name, field } = error
  const id = useId()
  const params = { importId, row: String(n) }
  const form = useForm({
    initial: { value: error.value },
    send: (body) => call('POST /api/imports/:importId/errors/:row', { params, body }).finally(refreshImports),
  })
  return (
    <li>
      <form {...form.form} className="import-error">
        <span className="mono faint" title={words.rowOf(line)}>
          <span className="sr">{words.rowOf(line)}</span>
          <span aria-hidden="true">{line}</span>
        </span>
        {name && <bdi className="import-error-name cut">{name}</bdi>}
        {field !== null && (
          <>
            <input
              className="input input-sm mono"
              aria-label={words.valueOf(line, words.fields[field])}
              aria-invalid
              aria-describedby={id}
              placeholder={words.empty}
              value={form.values.value}
              maxLength={512}
              onChange={(event) => form.set({ value: event.target.value })}
            />
            <Button type="submit" size="sm" aria-label={words.takeLine(line)} busy={form.isSending && words.taking}>
              {words.take}
            </Button>
          </>
        )}
        <span className="error" id={id} role={form.isSaved || form.failure ? 'alert' : undefined}>
          <TriangleAlert className="i" />
          <span>{form.failure ? sayError(form.failure).title : error.reason}</span>
        </span>
      </form>
    </li>
  )
}

import type { ShownImport } from '@patchbay/contract/app/imports.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { call } from '../../data/api.ts'
import { read } from '../../data/queries.ts'
import { reachWords } from '../../lists/reach-words.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { sayError } from '../../ui/error-state.tsx'
import { showToast } from '../../ui/toast.ts'
import { FailedRows } from './failed-rows.tsx'
import { ImportProgress } from './progress.tsx'
import { keepImport, percentOf } from './use-imports.ts'
import { importWords as words } from './words.ts'

/** How far an import is, what became of the rows so far, and those that need a look. */
export function Running({ job }: { job: ShownImport }) {
  const { state, done, rows, added, changed, same, failed, overwrites } = job
  const label = state === 'running' ? words.importing : state === 'finished' ? words.finished : words.stopped
  const left = secondsLeft(job)
  return (
    <>
      <div className="stack">
        <ImportProgress label={label} percent={percentOf(job)} says={words.progress(done, rows)} />
        <div className="row wrap small import-counts">
          <span>{words.added(added)}</span>
          <span>{words.matched(changed + same, overwrites)}</span>
          {failed > 0 && <span className="fail">{words.failed(failed)}</span>}
          {left !== undefined && <span className="end muted">{words.left(left)}</span>}
        </div>
      </div>
      <p className="small import-mapped">
        {job.headers.map((header, at) => {
          const field = job.mapping[at] ?? 'none'
          const name = header || words.unnamed(at + 1)
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place; two may have the same name
            <span key={at} className={field === 'none' ? 'faint' : undefined}>
              <bdi>{field === 'none' ? words.leftOut(name) : words.mapped(name, words.fields[field])}</bdi>
            </span>
          )
        })}
      </p>
      {state !== 'running' && job.listId && <OnList listId={job.listId} />}
      {state !== 'running' && <p className="small muted">{words.stays}</p>}
      {failed > 0 && <FailedRows job={job} />}
    </>
  )
}

/** The list that the imported contacts are on, and how many of it can be written to. */
function OnList({ listId }: { listId: string }) {
  const reach = useQuery(read('GET /api/lists/:listId/reach', { params: { listId } }))
  if (!reach.data || reach.data.contacts === 0) return null
  return (
    <div className="stack">
      <p>{reachWords.reach(reach.data)}</p>
      <div>
        <Link to="/broadcasts" search={{ to: listId }} className={buttonClass('outline', 'sm')}>
          {words.writeTo}
        </Link>
      </div>
    </div>
  )
}

/** Estimates the rest from the pace so far. */
function secondsLeft({ state, startedAt, done, rows }: ShownImport): number | undefined {
  if (state !== 'running' || startedAt === null || done === 0) return undefined
  const seconds = (Date.now() - Date.parse(startedAt)) / 1_000
  return seconds <= 0 ? undefined : ((rows - done) / done) * seconds
}

export function RunningFooter({ job, onDone }: { job: ShownImport; onDone: () => void }) {
  const stop = useMutation({
    mutationFn: () => call('POST /api/imports/:importId/stop', { params: { importId: job.id } }),
    onSuccess: keepImport,
    onError: (error) => showToast({ text: sayError(error).title }),
  })
  if (job.state !== 'running') {
    return (
      <>
        <span className="grow" />
        <Button onClick={onDone}>{words.done}</Button>
      </>
    )
  }
  return (
    <>
      <span className="small muted grow">{words.goesOn}</span>
      <Button look="quiet" busy={stop.isPending && words.stopping} onClick={() => stop.mutate()}>
        {words.stop}
      </Button>
    </>
  )
}

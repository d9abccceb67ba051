import type { ShownImport } from '@patchbay/contract/app/imports.ts'
import { Button } from '../../ui/button.tsx'
import { Time } from '../../ui/time.tsx'
import { ImportProgress } from './progress.tsx'
import { importWords as words } from './words.ts'

type Props = {
  imports: ShownImport[]
  /** How much of a file is sent, while it is. */
  percent: number | undefined
  error: string | null
  onFile: (file: File) => void
  onOpen: (importId: string) => void
}

/** What can be imported, and a look back at the last imports: rows that failed can still be mended there. */
export function ChooseFile({ imports, percent, error, onFile, onOpen }: Props) {
  return (
    <>
      <div className="stack">
        <p>{words.says}</p>
        <p className="muted">{words.limits}</p>
      </div>
      {percent === undefined ? (
        <label className="field">
          <span className="label">{words.choose}</span>
          <input
            type="file"
            accept=".csv,.tsv,.txt,text/csv,text/tab-separated-values"
            onChange={(event) => {
              const [file] = event.target.files ?? []
              event.target.value = '' // so that the same file can be chosen again
              if (file) onFile(file)
            }}
          />
        </label>
      ) : (
        <ImportProgress label={words.sending} percent={percent} says={words.sent(percent)} />
      )}
      {error && (
        <p className="fail" role="alert">
          {error}
        </p>
      )}
      {imports.length > 0 && percent === undefined && <LastImports imports={imports} onOpen={onOpen} />}
    </>
  )
}

function LastImports({ imports, onOpen }: Pick<Props, 'imports' | 'onOpen'>) {
  return (
    <section className="stack" aria-label={words.lastOnes}>
      <h3 className="label">{words.lastOnes}</h3>
      <ul className="import-list">
        {imports.map((one) => (
          <li key={one.id} className="row row-3">
            <span className="grow cut">
              <bdi>{one.fileName}</bdi>{' '}
              <span className="small faint">
                <Time at={one.createdAt} />
              </span>
            </span>
            <span className={one.failed > 0 ? 'small fail' : 'small muted'}>{sayState(one)}</span>
            <Button size="sm" aria-label={words.open(one.fileName)} onClick={() => onOpen(one.id)}>
              {words.openShort}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}

function sayState({ state, failed }: ShownImport): string {
  if (state === 'refused') return words.refusedShort
  if (failed > 0) return words.need(failed)
  return words.states[state]
}

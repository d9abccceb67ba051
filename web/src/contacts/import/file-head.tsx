import type { ShownImport } from '@patchbay/contract/app/imports.ts'
import FileText from 'lucide-react/icons/file-text'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import { useStore } from '../../data/store.ts'
import { Button } from '../../ui/button.tsx'
import { Note } from '../../ui/note.tsx'
import { ImportProgress } from './progress.tsx'
import { sending } from './send-file.ts'
import { importWords as words } from './words.ts'

/** Which file it is, and what is in it, as soon as that is known. */
export function FileHead({ job, onOther }: { job: ShownImport; onOther: () => void }) {
  const { fileName, state, rows, delimiter, encoding, refusal } = job
  const sent = useStore(sending)
  return (
    <>
      <div className="row row-3">
        <FileText className="i i-20" />
        <div className="grow import-file">
          <div className="strong cut">
            <bdi>{fileName}</bdi>
          </div>
          {delimiter && <div className="small faint">{words.facts(rows, words.delimiters[delimiter], encoding)}</div>}
        </div>
        {state !== 'running' && (
          <Button size="sm" onClick={onOther}>
            {words.chooseAnother}
          </Button>
        )}
      </div>
      {state === 'reading' && <p role="status">{words.reading}</p>}
      {state === 'uploading' &&
        (sent?.importId === job.id ? (
          <ImportProgress label={words.sending} percent={sent.percent} says={words.sent(sent.percent)} />
        ) : (
          <p className="muted">{words.leftUpload}</p>
        ))}
      {state === 'refused' && (
        <Note tone="fail" icon={TriangleAlert} role="alert">
          <b className="strong">{job.startedAt ? words.brokenOff : words.refused}</b> {refusal}
        </Note>
      )}
    </>
  )
}

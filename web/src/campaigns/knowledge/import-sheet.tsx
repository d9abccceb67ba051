import type { ImportPreview } from '@patchbay/contract/app/knowledge.ts'
import { useMutation } from '@tanstack/react-query'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import { useState } from 'react'
import { call } from '../../data/api.ts'
import { Button } from '../../ui/button.tsx'
import { sayError } from '../../ui/error-state.tsx'
import { Note } from '../../ui/note.tsx'
import { Sheet } from '../../ui/sheet.tsx'
import { Tag } from '../../ui/tag.tsx'
import { showToast } from '../../ui/toast.ts'
import { changeAndTell, refreshKnowledge } from '../knowledge-changes.ts'
import { importWords as words } from '../words.ts'

const mostBytes = 1_000_000

type Props = { campaignId: string; onClose: () => void }

/** Choose a file, see what it changes, import it. Nothing is changed before. */
export function ImportSheet({ campaignId, onClose }: Props) {
  const [text, setText] = useState('')
  const params = { campaignId }
  const preview = useMutation({
    mutationFn: async (file: File) => {
      const content = await readText(file)
      setText(content)
      return call('POST /api/campaigns/:campaignId/import/preview', { params, body: { text: content } })
    },
  })
  const apply = useMutation({
    mutationFn: () =>
      changeAndTell(campaignId, () =>
        call('POST /api/campaigns/:campaignId/import', { params, body: { text, leavesOut: true } }),
      ),
    onSuccess: ({ added, replaced }) => {
      showToast({ text: words.done(added + replaced) })
      refreshKnowledge()
      onClose()
    },
  })
  const changed = preview.data ? preview.data.added + preview.data.replaced : 0
  const error = preview.error ?? apply.error
  return (
    <Sheet
      title={words.title}
      onClose={onClose}
      footer={
        changed > 0 && (
          <Button look="primary" busy={apply.isPending && words.importing} onClick={() => apply.mutate()}>
            {words.import(changed)}
          </Button>
        )
      }
    >
      <div className="stack stack-4">
        <p className="muted">{words.says}</p>
        <label className="field">
          <span className="label">{words.file}</span>
          <input
            type="file"
            accept=".csv,.json,.txt,text/csv,application/json"
            onChange={(event) => {
              const [file] = event.target.files ?? []
              if (file) preview.mutate(file)
            }}
          />
        </label>
        {preview.isPending && <p role="status">{words.reading}</p>}
        {error && (
          <p className="fail" role="alert">
            {error instanceof FileError ? error.message : `${sayError(error).title} ${sayError(error).hint}`}
          </p>
        )}
        {preview.data && <Preview preview={preview.data} />}
      </div>
    </Sheet>
  )
}

function Preview({ preview }: { preview: ImportPreview }) {
  const { added, replaced, same, entries, wrong } = preview
  return (
    <>
      <p className="strong" role="status">
        {words.counts(added, replaced, same)} {added + replaced === 0 && wrong.length === 0 && words.nothing}
      </p>
      {wrong.length > 0 && <Wrong preview={preview} />}
      <ul className="stack stack-3" aria-label={words.preview}>
        {entries.map(({ change, questions, answer, was }) => (
          <li className="stack import-entry" key={questions[0]}>
            <span className="row wrap">
              <Tag tone={change === 'new' ? 'accent' : 'wait'}>{words.kind[change]}</Tag>
              <b className="strong">
                <bdi>{questions.join(' · ')}</bdi>
              </b>
            </span>
            <bdi>{answer}</bdi>
            {was !== null && <bdi className="small muted">{words.was(was)}</bdi>}
          </li>
        ))}
      </ul>
      {entries.length < added + replaced && <p className="small muted">{words.shown(entries.length)}</p>}
    </>
  )
}

/** What cannot be imported; the rest can, and the file can be mended and imported again. */
function Wrong({ preview: { wrong, wrongRows } }: { preview: ImportPreview }) {
  return (
    <Note tone="wait" icon={TriangleAlert}>
      <p className="strong">{words.wrong(wrongRows)}</p>
      <ul aria-label={words.wrongList}>
        {wrong.map(({ unit, n, reason }) => (
          <li key={`${unit} ${n}`}>
            <span className="mono">{words.place[unit](n)}</span> <bdi>{reason}</bdi>
          </li>
        ))}
      </ul>
      {wrong.length < wrongRows && <p className="small">{words.shown(wrong.length)}</p>}
    </Note>
  )
}

/** Something is wrong with the file itself, found before anything is sent. */
class FileError extends Error {}

/** Spreadsheets write UTF-8 or, with a byte order mark, UTF-16; another encoding would be decoded to wrong letters. */
async function readText(file: File): Promise<string> {
  if (file.size > mostBytes) throw new FileError(words.tooLarge)
  const bytes = new Uint8Array(await file.arrayBuffer())
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8'
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    throw new FileError(words.notText)
  }
}

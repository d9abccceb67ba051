import { meaningOf, statusOf } from '@patchbay/contract/errors.ts'
import { useState } from 'react'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Seg } from '../../ui/seg.tsx'
import { Table } from '../../ui/table.tsx'
import { postedExample } from './posted-example.ts'
import { verifyIn } from './verify/verify.ts'
import { referenceWords as words } from './words.ts'

export const alsoPages = ['webhook', 'signature', 'errors'] as const
export type AlsoPage = (typeof alsoPages)[number]

/** What is no endpoint: the posts to the account's own server, and the refusals. */
export function Also({ page }: { page: AlsoPage }) {
  return (
    <div className="ref-also stack stack-4">
      <h2 className="h-page">{words.also[page]}</h2>
      {page === 'webhook' && (
        <>
          <p className="muted">{words.webhookSays}</p>
          <CodeBlock text={postedExample} label={words.copyCode} />
          <Fields rows={words.headers} />
        </>
      )}
      {page === 'signature' && (
        <>
          <p className="muted">{words.signatureSays}</p>
          <VerifySignature />
        </>
      )}
      {page === 'errors' && (
        <>
          <p className="muted">{words.errorsSays}</p>
          <Errors />
        </>
      )}
    </div>
  )
}

const languages = Object.keys(verifyIn) as (keyof typeof verifyIn)[]

function VerifySignature() {
  const [language, setLanguage] = useState<keyof typeof verifyIn>('Node')
  const options = languages.map((value) => ({ value, label: value }))
  return (
    <>
      <div className="row">
        <Seg label={words.language} value={language} options={options} onChange={setLanguage} />
      </div>
      <CodeBlock text={verifyIn[language]} label={words.copyCode} />
    </>
  )
}

function Fields({ rows }: { rows: readonly (readonly [string, string])[] }) {
  return (
    <dl>
      {rows.map(([name, says]) => (
        <div className="par" key={name}>
          <dt className="mono strong">{name}</dt>
          <dd>{says}</dd>
        </div>
      ))}
    </dl>
  )
}

const ofTheAppOnly = new Set(['FORBIDDEN', 'CONFLICT', 'ID_TAKEN'])

function Errors() {
  const codes = (Object.keys(statusOf) as (keyof typeof statusOf)[]).filter((code) => !ofTheAppOnly.has(code))
  return (
    <Table label={words.also.errors} inCard>
      <tbody>
        {codes.map((code) => (
          <tr key={code}>
            <td className="mono">{statusOf[code]}</td>
            <th scope="row" className="mono">
              {code}
            </th>
            <td className="muted">{meaningOf[code]}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  )
}

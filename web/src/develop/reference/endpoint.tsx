import { useState } from 'react'
import { CodeBlock } from '../../ui/code-block.tsx'
import type { Server } from '../../ui/curl.ts'
import { OwnCertificate } from '../../ui/own-certificate.tsx'
import { Seg } from '../../ui/seg.tsx'
import { ShellCode } from '../../ui/shell-code.tsx'
import { Table } from '../../ui/table.tsx'
import { Prose } from './prose.tsx'
import type { ApiField, Operation } from './read-api.ts'
import { type Language, languages, snippetOf } from './snippets.ts'
import { referenceWords as words } from './words.ts'

/** One endpoint: its words on the left, a call that can be copied on the right. */
export function Endpoint({ operation, server }: { operation: Operation; server: Server }) {
  const { method, path, summary, description, groups, refusals } = operation
  return (
    <div className="ref">
      <div>
        <div className="stack">
          <h2 className="h-page">{summary}</h2>
          <div className="row wrap">
            <span className="verb">{method}</span>
            <span className="mono ref-path">/v1{path}</span>
          </div>
          <p className="muted">
            <Prose text={description} />
          </p>
        </div>
        {groups.map(({ title, fields }) => (
          <section key={title}>
            <h3 className="h-section">{words.groups[title] ?? title}</h3>
            {fields.map((field) => (
              <Parameter field={field} key={field.name} />
            ))}
          </section>
        ))}
        <section>
          <h3 className="h-section">{words.wrong}</h3>
          <Table label={words.wrong} inCard fits>
            <tbody>
              {refusals.map(({ status, says }) => (
                <tr key={status}>
                  <th scope="row" className="mono">
                    {status}
                  </th>
                  <td className="muted">
                    <Prose text={says} />
                  </td>
                </tr>
              ))}
            </tbody>
          </Table>
        </section>
      </div>
      <Example operation={operation} server={server} />
    </div>
  )
}

function Parameter({ field: { name, isRequired, type, says } }: { field: ApiField }) {
  return (
    <div className="par">
      <div>
        <span className="mono strong">{name}</span>{' '}
        {isRequired && <span className="small muted">{words.required}</span>}
        <br />
        <span className="small muted">{type}</span>
      </div>
      <p>
        <Prose text={says} />
      </p>
    </div>
  )
}

function Example({ operation, server }: { operation: Operation; server: Server }) {
  const [language, setLanguage] = useState<Language>('curl')
  const [apiKey, setKey] = useState('') // stays in this page: it is in no address and no store
  const text = snippetOf(language, { server, operation, apiKey: apiKey.trim() })
  const options = languages.map((value) => ({ value, label: value }))
  return (
    <div className="ex">
      <div className="row between wrap">
        <Seg label={words.language} value={language} options={options} onChange={setLanguage} />
        <label className="row small muted">
          {words.key}
          <input
            className="input input-sm mono"
            value={apiKey}
            placeholder={words.pasteKey}
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => setKey(event.target.value)}
          />
        </label>
      </div>
      <OwnCertificate server={server} />
      <CodeBlock text={text} label={words.copyCode}>
        {language === 'curl' ? <ShellCode text={text} /> : text}
      </CodeBlock>
      {operation.answer !== undefined && (
        <div className="stack">
          <h3 className="label">{words.answer}</h3>
          <CodeBlock text={JSON.stringify(operation.answer, null, 2)} label={words.copyAnswer} />
        </div>
      )}
    </div>
  )
}

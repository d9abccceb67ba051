import type { ShownImport } from '@patchbay/contract/app/imports.ts'
import { type ImportField, importFields } from '@patchbay/contract/import-fields.ts'
import { Table } from '../../ui/table.tsx'
import { importWords as words } from './words.ts'

type Props = { job: ShownImport; mapping: ImportField[]; onChange: (mapping: ImportField[]) => void }

/** Each column of the file, what it becomes, and what the first row has there. */
export function Columns({ job, mapping, onChange }: Props) {
  return (
    <div className="stack">
      <h3 className="label">{words.columns}</h3>
      <div className="card">
        <Table label={words.columns} inCard fits className="import-columns">
          <thead>
            <tr>
              <th>{words.inFile}</th>
              <th>{words.becomes}</th>
              <th>{words.firstRow}</th>
            </tr>
          </thead>
          <tbody>
            {job.headers.map((header, at) => {
              const name = header || words.unnamed(at + 1)
              const field = mapping[at] ?? 'none'
              return (
                // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place; two may have the same name
                <tr key={at}>
                  <th scope="row" className="mono">
                    <bdi>{name}</bdi>
                  </th>
                  <td>
                    <select
                      className="select input-sm"
                      aria-label={words.columnBecomes(name)}
                      value={field}
                      onChange={(event) => onChange(mapping.with(at, event.target.value as ImportField))}
                    >
                      {importFields.map((one) => (
                        <option key={one} value={one}>
                          {words.fields[one]}
                        </option>
                      ))}
                    </select>
                  </td>
                  <td className={field === 'none' ? 'faint' : 'muted'}>
                    <bdi className="cut">{job.firstRows[0]?.[at]}</bdi>
                  </td>
                </tr>
              )
            })}
          </tbody>
        </Table>
      </div>
    </div>
  )
}

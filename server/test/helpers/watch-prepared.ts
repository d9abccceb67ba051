import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Query } from 'pg'

/*
 * Every statement that a test runs by name must be written out in `server/sql`, with the text that it is run with. This is
 * checked where the driver hands a query to its connection, whatever code asked for it.
 */

type Submit = (this: Query, connection: unknown) => Error | null
const driver = Query.prototype as unknown as { submit: Submit } // the driver's types leave the result out
const { submit } = driver

driver.submit = function (connection) {
  const { name, text } = this as unknown as { name?: string; text: string }
  const complaint = name && !isNamedByText(name) ? complaintAbout(name, text) : undefined
  if (complaint === undefined) return submit.call(this, connection)
  process.exitCode = 1 // fails the file also where the product expects that a query may fail
  process.stderr.write(`${complaint}\n`)
  return new Error(complaint)
}

/** Those of `platform/database/planned-db.ts`: each text has a name of its own there, so no name is run with another text. */
const isNamedByText = (name: string) => name.startsWith('planned-')

const folder = resolve(import.meta.dirname, '../../sql')
const writtenOut = new Map<string, string | undefined>()

/** What is wrong with a statement that is run by this name; undefined if nothing is. */
function complaintAbout(name: string, text: string): string | undefined {
  if (!writtenOut.has(name)) writtenOut.set(name, read(name))
  if (writtenOut.get(name) === text) return undefined
  return `the statement ${name} is run by name and is not in server/sql as it is run: describe-statements.ts lists its store, npm run generate writes it`
}

/** Without the first line, which says where it comes from. */
function read(name: string): string | undefined {
  try {
    return readFileSync(resolve(folder, `${name}.sql`), 'utf8').replace(/^.*\n/, '')
  } catch {
    return undefined
  }
}

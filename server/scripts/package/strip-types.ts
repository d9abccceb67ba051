import { stripTypeScriptTypes } from 'node:module'
import { dirname, join, relative } from 'node:path'

/** The folder that the checkout links as a package of its own; the package has it inside. */
const contract = '@patchbay/contract/'
const namedFile = /'([\w@./-]+\.ts)'/g
const importedTypeScript = /\b(?:from|import)\s*\(?\s*'[^']+\.ts'/

/** The name that a source has in the package. */
export const packagedName = (file: string): string => file.replace(/\.ts$/, '.js')

/**
 * The code of a source as plain JavaScript: types are spaces, so that every line is where it was, and files of the package
 * are named as they are called there. A name counts when such a file exists, whoever uses it: an import, a thread, or a
 * process that is started by a path.
 */
export function stripTypes(file: string, code: string, packaged: ReadonlySet<string>): string {
  const stripped = stripTypeScriptTypes(code, { mode: 'strip' }).replace(namedFile, (text, name: string) => {
    const isOfContract = name.startsWith(contract)
    const target = isOfContract ? join('contract', name.slice(contract.length)) : join(dirname(file), name)
    if (!packaged.has(target)) return text
    return `'${packagedName(isOfContract ? pathFrom(file, target) : name)}'`
  })
  const [lost] = importedTypeScript.exec(stripped) ?? []
  if (lost !== undefined) throw new Error(`${file} has ${lost}, which is not in the package.`)
  return stripped
}

function pathFrom(file: string, target: string): string {
  const path = relative(dirname(file), target)
  return path.startsWith('.') ? path : `./${path}`
}

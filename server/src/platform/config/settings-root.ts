import { resolve } from 'node:path'

/** A checkout runs its sources; a package has them as JavaScript. */
export const isPackage = !import.meta.filename.endsWith('.ts')

/**
 * Where relative paths in settings begin, such as that of `DATA_DIR`: at the root of the checkout, wherever a command is
 * called from. A package is in a folder that npm empties when it likes, in its cache after `npx FILE`: there they begin in
 * the current folder.
 */
export const settingsRoot = isPackage ? process.cwd() : resolve(import.meta.dirname, '../../../..')

import { readFileSync } from 'node:fs'

/** The version of the product: that of the package.json at the root, the one place that names it. */
export const version: string = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
).version

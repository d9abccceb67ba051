import { readFileSync } from 'node:fs'

/** The version in package.json, the one place that names it. */
export const version: string = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version

import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'

const docs = new URL('../../../../docs/', import.meta.url)

/**
 * The description of the API that `npm run generate` makes from the routes, with the address of this server. Making it
 * here would cost every start a tenth of a second.
 */
export function readOpenApi(publicUrl: string): object {
  return { ...JSON.parse(readFileSync(new URL('openapi.json', docs), 'utf8')), servers: [{ url: `${publicUrl}/v1` }] }
}

/** The description of the app's own API. */
export async function readAppOpenApi(): Promise<object> {
  return JSON.parse(await readFile(new URL('app-openapi.json', docs), 'utf8'))
}

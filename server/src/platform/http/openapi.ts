import { readFileSync } from 'node:fs'

const file = new URL('../../../../docs/openapi.json', import.meta.url)

/**
 * The description of the API that `npm run generate` makes from the routes, with the address of this server. Making it
 * here would cost every start a tenth of a second.
 */
export function readOpenApi(publicUrl: string): object {
  return { ...JSON.parse(readFileSync(file, 'utf8')), servers: [{ url: `${publicUrl}/v1` }] }
}

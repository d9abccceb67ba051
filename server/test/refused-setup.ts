import pg from 'pg'
import * as server from './setup.ts'

/** The set-up of the tests, on a database that refuses every statement with the text in REFUSED_STATEMENT. */
export async function globalSetup(): Promise<void> {
  const { query } = pg.Client.prototype
  const refused = process.env.REFUSED_STATEMENT ?? ''
  pg.Client.prototype.query = function refuseOrQuery(this: pg.Client, ...given: unknown[]) {
    const [statement] = given as [string | { text?: string }]
    const text = typeof statement === 'string' ? statement : statement.text
    if (text?.includes(refused)) return Promise.reject(new Error(`refused: ${refused}`))
    return Reflect.apply(query, this, given)
  } as typeof query
  await server.globalSetup()
}

export async function globalTeardown(): Promise<void> {
  await server.globalTeardown()
}

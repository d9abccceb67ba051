import { hashToken, newToken } from '../../server/src/business/sessions/session-cookie.ts'
import { openClient } from '../../server/test/helpers/https-client.ts'
import type { upload } from '../../server/test/helpers/imports.ts'

export type Browser = Parameters<typeof upload>[0] & { text: (path: string) => Promise<string> }

type Where = { port: number; query: (text: string, values: unknown[]) => Promise<unknown> }

/** Signed in as the owner of this account. */
export async function openBrowser(
  { port, query }: Where,
  accountId: string,
  started: AsyncDisposableStack,
): Promise<Browser> {
  const token = newToken()
  await query(
    `insert into sessions (token_hash, account_id, user_id) select $1, account_id, id from users where account_id = $2`,
    [hashToken(token), accountId],
  )
  const client = openClient({ connections: 4 })
  started.defer(async () => client.close())
  const headers = { cookie: `__Host-patchbay=${token}`, 'sec-fetch-site': 'same-origin' }
  return {
    call: async (method, path, body) => {
      const json = { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) }
      const sent = { method, headers, ...(body !== undefined && json) }
      const answer = await client.send(`https://localhost:${port}${path}`, sent)
      return { status: answer.status, headers: answer.headers, body: JSON.parse(answer.text) }
    },
    text: async (path) => (await client.send(`https://localhost:${port}${path}`, { headers })).text,
  }
}

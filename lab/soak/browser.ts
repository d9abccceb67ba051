import { openClient } from '../../server/test/helpers/https-client.ts'
import type { upload } from '../../server/test/helpers/imports.ts'

export type Browser = Parameters<typeof upload>[0] & {
  text: (path: string) => Promise<string>
  [Symbol.dispose]: () => void
}

/** Opens the app's own API of a running server with the token of a session. */
export function openBrowser(port: number, session: string, connections = 4): Browser {
  const client = openClient({ connections })
  const headers = { cookie: `__Host-patchbay=${session}`, 'sec-fetch-site': 'same-origin' }
  return {
    call: async (method, path, body) => {
      const json = { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) }
      const sent = { method, headers, ...(body !== undefined && json) }
      const answer = await client.send(`https://localhost:${port}${path}`, sent)
      return { status: answer.status, headers: answer.headers, body: JSON.parse(answer.text) }
    },
    text: async (path) => (await client.send(`https://localhost:${port}${path}`, { headers })).text,
    [Symbol.dispose]: () => client.close(),
  }
}

/** Changes something that a run needs, and returns the answer: without the change the run would measure nothing. */
export async function change({ call }: Browser, method: string, path: string, body: unknown) {
  const answer = await call(method, path, body)
  if (answer.status === 200) return answer.body
  throw new Error(`${method} ${path} was answered with ${answer.status}: ${JSON.stringify(answer.body)}`)
}

import type { ServerResponse } from 'node:http'

/** What the double does instead of answering; `answer` is what it would have said, where it has done what was asked. */
export type Fault = (response: ServerResponse, answer?: () => void) => unknown

type Planned = { fault: Fault; isDone: boolean }

/** `of`: of this bot alone. */
type Options = { isDone?: boolean; times?: number; of?: { token: string } }

/** What is to happen to the next requests of a method. */
export type Faults = {
  plan: (method: string, fault: Fault, options?: Options) => () => void
  next: (method: string, token: string) => Planned | undefined
}

export function openFaults(): Faults {
  const planned: (Planned & { method: string; times: number; of: Options['of'] })[] = []
  const drop = (one: (typeof planned)[number]) =>
    void (planned.includes(one) && planned.splice(planned.indexOf(one), 1))
  return {
    plan: (method, fault, { isDone = false, times = 1, of } = {}) => {
      const one = { method, fault, isDone, times, of }
      planned.push(one)
      return () => drop(one)
    },
    next: (method, token) => {
      const found = planned.find((one) => one.method === method && (one.of ?? { token }).token === token)
      if (found) found.times -= 1
      if (found?.times === 0) drop(found)
      return found
    },
  }
}

export const faults = {
  /** The connection ends without an answer. */
  cut: (response) => response.socket?.destroy(),
  /** No answer, and the connection stays. */
  silence: () => {},
  /** Not in the words of the provider: of whoever is in front of it. */
  bareError: (response) => response.writeHead(502, { 'content-type': 'text/html' }).end('<html>Bad Gateway</html>'),
  error: (response) => refuse(response, 500, 'Internal Server Error'),
  badRequest: (response) => refuse(response, 400, 'Bad Request: wrong type of the web page content'),
} satisfies Record<string, Fault>

export const tooMany =
  (seconds: number): Fault =>
  (response) =>
    refuse(response, 429, `Too Many Requests: retry after ${seconds}`, { retry_after: seconds })

/** With `isDone`: it answers as ever, and so late. */
export const slow =
  (ms: number): Fault =>
  (_response, answer) =>
    setTimeout(() => answer?.(), ms)

/** As the provider answers a request. */
export type Result =
  | { ok: true; result: unknown }
  | { ok: false; error_code: number; description: string; parameters?: object }

export function refuse(response: ServerResponse, status: number, description: string, parameters?: object): void {
  send(response, { ok: false, error_code: status, description, ...(parameters && { parameters }) })
}

export function send(response: ServerResponse, answer: Result): void {
  const status = answer.ok ? 200 : answer.error_code
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
}

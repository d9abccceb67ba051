import { request } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Updates } from './telegram-updates.ts'

/** Where a bot's updates are posted, as `setWebhook` said; again and again until the answer is 2xx. */
export type TelegramHook = {
  set: (parameters: Record<string, string>) => void
  remove: () => void
  /** The secret to show. */
  secret: () => string
  info: () => { url: string; last_error_message?: string; last_error_date?: number }
  /** The statuses of all posts. */
  answers: number[]
  stop: () => void
}

const retryMs = 100

export function openHook(updates: Updates): TelegramHook {
  let hook: { url: string; secret: string } | undefined
  let lastError: { last_error_message: string; last_error_date: number } | undefined
  let isStopped = false
  let isPosting = false
  const answers: number[] = []

  async function post(): Promise<void> {
    if (isPosting) return
    isPosting = true
    while (hook && !isStopped) {
      const [update] = updates.waiting()
      if (!update) break
      const status = await send(hook, update).catch((error: Error) => error.message)
      if (typeof status === 'number') answers.push(status)
      if (status === 200) updates.confirm(update.update_id)
      else {
        const said = typeof status === 'number' ? `Wrong response from the webhook: ${status}` : status
        lastError = { last_error_message: said, last_error_date: Math.floor(Date.now() / 1_000) }
        await sleep(retryMs)
      }
    }
    isPosting = false
  }

  updates.onAdded(() => void post())
  return {
    set: ({ url = '', secret_token: secret = '' }) => {
      hook = url === '' ? undefined : { url, secret }
      void post()
    },
    remove: () => {
      hook = undefined
      lastError = undefined
    },
    secret: () => hook?.secret ?? '',
    info: () => ({ url: hook?.url ?? '', ...lastError }),
    answers,
    stop: () => {
      isStopped = true
    },
  }
}

async function send({ url, secret }: { url: string; secret: string }, update: unknown): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const headers = { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': secret }
  // It is the double that trusts the certificate of the server under test; who calls it is not judged here.
  const sent = request(url, { method: 'POST', headers, rejectUnauthorized: false, timeout: 10_000 }, (response) => {
    response.resume()
    response.on('end', () => resolve(response.statusCode ?? 0))
  })
  sent.on('error', reject)
  sent.end(JSON.stringify(update))
  return promise
}

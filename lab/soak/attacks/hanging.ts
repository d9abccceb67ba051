import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { incomingPath, outgoingPath, post } from '../../common/public-api.ts'
import { change, openBrowser } from '../browser.ts'
import { openTenants, type Tenant } from '../tenants.ts'
import { type Attack, type Counts, count } from './attack.ts'
import { atRate, openCountingSender } from './requests.ts'

/** Two hundred tenants whose receivers accept connections and never respond, each with a backlog of replies. */
export const hangingReceivers: Attack = async (order, started) => {
  const { port } = order
  const [receivers, backlog, perSecond] = [200, 10, 20]
  const tenants = started.use(openTenants(order))
  const made: Tenant[] = []
  const counts: Counts = {}
  for (let n = 0; n < receivers; n += 1) {
    made.push(await tenants.make({ receiver: `http://127.0.0.1:${await listenSilently(started, counts)}/` }))
  }
  return async (stopping) => {
    const sendOne = openCountingSender(port, counts)
    const send = async (n: number) => {
      const { apiKey = '' } = made[n % receivers] ?? {}
      const customData = { fromId: `person ${n}`, customChannel: 'chat', body: `Number ${n}` }
      await sendOne(post(apiKey, outgoingPath, { customData }))
    }
    for (let n = 0; n < receivers * backlog && !stopping.aborted; n += 10) {
      await Promise.all(Array.from({ length: 10 }, (_, more) => send(n + more)))
    }
    await atRate(perSecond, stopping, send)
    return counts
  }
}

/** Fifty tenants whose language model accepts every request and never responds. */
export const hangingModels: Attack = async (order, started) => {
  const { port, seed } = order
  const [models, perSecond] = [50, 10]
  const counts: Counts = {}
  const tenants = started.use(openTenants(order))
  const made: Tenant[] = []
  for (let n = 0; n < models; n += 1) {
    const tenant = await tenants.make({ campaign: { quietSeconds: 0 } })
    await useModel(port, tenant, `http://127.0.0.1:${await listenSilently(started, counts)}/v1`)
    made.push(tenant)
  }
  return async (stopping) => {
    const sendOne = openCountingSender(port, counts)
    await atRate(perSecond, stopping, (n) => {
      const { apiKey = '' } = made[n % models] ?? {}
      const body = 'Do you deliver to the islands in winter, and what does it cost?'
      const customData = { messageSid: `${seed} ${n}`, fromId: `person ${n}`, toId: 'x', body }
      return sendOne(post(apiKey, incomingPath, { customData }))
    })
    return counts
  }
}

/** Lets the bot answer with the language model at this address. */
async function useModel(port: number, { session, campaignId }: Tenant, baseUrl: string): Promise<void> {
  using browser = openBrowser(port, session)
  const model = { kind: 'openai-compatible', baseUrl, apiKey: 'a-key-of-the-model', model: 'hanging' }
  const { id: connectionId } = await change(browser, 'POST', '/api/connections', { name: 'Hanging', ...model })
  await change(browser, 'PATCH', `/api/campaigns/${campaignId}`, { version: 1, connectionId })
}

async function listenSilently(started: AsyncDisposableStack, counts: Counts): Promise<number> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    count(counts, 'hanging')
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    socket.resume()
  })
  started.defer(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port
}

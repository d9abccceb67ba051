import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { type TestDatabase, urlOf } from './databases.ts'

export type SlowProxy = TestDatabase & {
  /** How many connections it has reset so far. */
  resets: () => number
  /** Changes the share of chunks that end in a reset. */
  setResetShare: (share: number) => void
  /** The next statement with this text is forwarded; when its response comes, the connection is reset. */
  loseAnswerTo: (text: string) => void
  /** Open connections stop forwarding, without closing. */
  fallSilent: () => void
}

export type Weather = {
  /** Added to every chunk, each way. */
  delayMs?: number
  /** The share of chunks at which the connection is reset instead. */
  resetShare?: number
  /** Makes the resets of a run repeatable. */
  seed?: number
}

/** A proxy to the database like a bad network: slow, with occasional resets. The chunks of one direction stay in order. */
export async function openSlowProxy(
  { address }: Pick<TestDatabase, 'address'>,
  { delayMs = 0, resetShare = 0, seed = 1 }: Weather = {},
): Promise<SlowProxy> {
  const url = new URL(urlOf(address).replace('postgres:///', 'postgres://localhost/'))
  const target = url.searchParams.get('host')
  const random = randomFrom(seed)
  const ends = new Set<Socket>()
  let resets = 0
  let share = resetShare
  let lost: string | undefined
  const losing = new Set<Socket>()

  /** Whether the connection breaks here. */
  function breaks(chunk: Buffer, from: Socket, near: Socket): boolean {
    if (from === near && lost !== undefined && chunk.includes(lost)) {
      losing.add(near)
      lost = undefined
    } else if (losing.delete(near)) return true
    return random() < share
  }

  function pass(from: Socket, to: Socket, near: Socket): void {
    from.on('data', (chunk: Buffer) => {
      if (breaks(chunk, from, near)) {
        resets += 1
        near.resetAndDestroy()
        return // the other side, which may be a Unix socket, is closed too
      }
      if (delayMs === 0) to.write(chunk)
      else setTimeout(() => to.write(chunk), delayMs)
    })
    from.on('end', () => setTimeout(() => to.end(), delayMs))
  }

  const server = createServer({ noDelay: true, allowHalfOpen: true }, (near) => {
    const far = target === null ? connect(Number(url.port), url.hostname) : connect(`${target}/.s.PGSQL.5432`)
    pass(near, far, near)
    pass(far, near, near)
    for (const end of [near, far]) {
      ends.add(end)
      end.on('error', () => {})
      end.on('close', () => {
        ends.delete(end)
        near.destroy()
        far.destroy()
      })
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port, never on a pipe
  const user = url.searchParams.get('user') ?? url.username
  return {
    address: { connectionString: `postgres://${user}@127.0.0.1:${port}${url.pathname}` },
    resets: () => resets,
    loseAnswerTo: (text) => {
      lost = text
    },
    setResetShare: (changed) => {
      share = changed
    },
    fallSilent: () => {
      for (const end of ends) end.removeAllListeners('data').pause()
    },
    [Symbol.asyncDispose]: async () => {
      for (const end of ends) end.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

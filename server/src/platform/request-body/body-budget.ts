import { busy, Refusal } from '../refusal.ts'

/** A body that wants to be read. */
export type Body = {
  owner: string
  /** How much of the limit it takes. */
  weight: number
  receivedBytes: () => number
  isComplete: () => boolean
  /** Nothing more of it is read, and its sender is told why. */
  end: (refusal: Refusal) => void
}

export type Admission = {
  /** Calls back once it may be read, or with a refusal when too many of its owner wait. */
  enter: (body: Body, done: (refusal?: Refusal) => void) => void
  /** It was answered, or its sender has left. */
  leave: (body: Body) => void
}

type Waiting = { since: number; admit: () => void }
type Owner = { weight: number; inside: Map<Body, number>; waiting: Map<Body, Waiting> }

const mostWaiting = 100

/** Who has waited for so long with nothing inside takes the place of somebody who is slow. */
const patienceMs = 1_000
const slowBytesPerSecond = 1024 * 1024

/**
 * Lets bodies in up to a limit for all and one for each owner, by turns of their owners. The others wait unread, in their
 * sender's buffers instead of our memory. Whoever sends slowly keeps a place only as long as no other owner waits in vain.
 */
export function openAdmission({ inAll, ofOne }: { inAll: number; ofOne: number }): Admission {
  const owners = new Map<string, Owner>()
  let inside = 0

  function admitNext(): void {
    for (const [name, owner] of owners) {
      const [first] = owner.waiting
      if (!first || owner.weight + first[0].weight > ofOne) continue
      const [body, { admit }] = first
      if (inside + body.weight > inAll) return // it is next, whatever smaller ones would still fit
      owner.waiting.delete(body)
      owner.inside.set(body, performance.now())
      owner.weight += body.weight
      inside += body.weight
      owners.delete(name)
      owners.set(name, owner) // at the end, where this loop comes by again
      admit()
    }
  }

  function leave(body: Body): void {
    const owner = owners.get(body.owner)
    if (!owner) return
    owner.waiting.delete(body)
    if (owner.inside.delete(body)) {
      owner.weight -= body.weight
      inside -= body.weight
    }
    if (owner.inside.size + owner.waiting.size === 0) owners.delete(body.owner)
    admitNext()
  }

  function makeRoom(): void {
    const before = performance.now() - patienceMs
    for (const [name, owner] of [...owners]) {
      const [oldest] = owner.waiting.values()
      if (!oldest || oldest.since > before || owner.inside.size > 0) continue
      const slowest = findSlowest(owners, name)
      if (!slowest) return
      slowest.end(tooSlow())
      leave(slowest)
    }
  }
  setInterval(makeRoom, patienceMs / 4).unref()

  return {
    enter: (body, done) => {
      const owner = owners.getOrInsertComputed(body.owner, () => ({ weight: 0, inside: new Map(), waiting: new Map() }))
      if (owner.waiting.size >= mostWaiting) return done(busy())
      owner.waiting.set(body, { since: performance.now(), admit: () => done() })
      admitNext()
    },
    leave,
  }
}

/** Of those that are still being sent, by others: the one with the fewest bytes in its time, if that is few, or its owner has more. */
function findSlowest(owners: Map<string, Owner>, but: string): Body | undefined {
  const now = performance.now()
  let slowest: Body | undefined
  let least = Number.POSITIVE_INFINITY
  for (const [name, owner] of owners) {
    if (name === but) continue
    for (const [body, since] of owner.inside) {
      const rate = (1_000 * body.receivedBytes()) / (now - since)
      const mayEnd = now - since >= patienceMs && !body.isComplete()
      const isSlow = rate < slowBytesPerSecond || owner.inside.size > 1
      if (!mayEnd || !isSlow || rate >= least) continue
      slowest = body
      least = rate
    }
  }
  return slowest
}

function tooSlow(): Refusal {
  const message = 'The body came too slowly while others waited; try again in a second.'
  return new Refusal('RATE_LIMITED', message, { retryAfterSeconds: 1 })
}

import { busy, Refusal } from '../refusal.ts'

/** A body that waits to be read, or is being read or answered. */
export type Body = {
  owner: string
  /** How much of the budget it takes. */
  weight: number
  receivedBytes: () => number
  isComplete: () => boolean
  /** Stops reading it, and answers its sender with the refusal. */
  end: (refusal: Refusal) => void
}

export type BodyBudget = {
  /** Calls back once the body may be read, or with a refusal when too many bodies of its owner wait. */
  acquire: (body: Body, done: (refusal?: Refusal) => void) => void
  /** To be called when the request was answered or its connection closed. */
  release: (body: Body) => void
}

type Waiter = { since: number; admit: () => void }
type Owner = { weight: number; admitted: Map<Body, number>; waiting: Map<Body, Waiter> }

const mostWaiting = 100

/** An owner that has waited for so long, with no body admitted, gets the slot of a slow body. */
const mostWaitMs = 1_000
const slowBytesPerSecond = 1024 * 1024

/**
 * Admits bodies up to a total and a limit for each owner, round robin between owners. The others wait unread, in their
 * sender's buffers instead of our memory. A slow body keeps its slot only while no other owner waits without one.
 */
export function openBodyBudget({ inAll, ofOne }: { inAll: number; ofOne: number }): BodyBudget {
  const owners = new Map<string, Owner>()
  let admittedWeight = 0
  const lookForSlow = openTimer(endSlow)

  function admitNext(): void {
    for (const [name, owner] of owners) {
      const [first] = owner.waiting
      if (!first || owner.weight + first[0].weight > ofOne) continue
      const [body, { admit }] = first
      if (admittedWeight + body.weight > inAll) return // it is next, even if a smaller one would still fit
      owner.waiting.delete(body)
      owner.admitted.set(body, performance.now())
      owner.weight += body.weight
      admittedWeight += body.weight
      owners.delete(name)
      owners.set(name, owner) // at the end, where this loop reaches it again
      admit()
    }
  }

  function release(body: Body): void {
    const owner = owners.get(body.owner)
    if (!owner) return
    owner.waiting.delete(body)
    if (owner.admitted.delete(body)) {
      owner.weight -= body.weight
      admittedWeight -= body.weight
    }
    if (owner.admitted.size + owner.waiting.size === 0) owners.delete(body.owner)
    proceed()
  }

  function proceed(): void {
    admitNext()
    lookForSlow(owners.values().some(hasOnlyWaiting))
  }

  function endSlow(): void {
    const before = performance.now() - mostWaitMs
    for (const [name, owner] of [...owners]) {
      const [oldest] = owner.waiting.values()
      if (!hasOnlyWaiting(owner) || !oldest || oldest.since > before) continue
      const slowest = findSlowest(owners, name)
      if (!slowest) return
      slowest.end(tooSlow())
      release(slowest)
    }
  }

  return {
    acquire: (body, done) => {
      const owner = owners.getOrInsertComputed(body.owner, newOwner)
      if (owner.waiting.size >= mostWaiting) return done(busy())
      owner.waiting.set(body, { since: performance.now(), admit: () => done() })
      proceed()
    },
    release,
  }
}

/** Returns a function that runs the timer only while it is needed: a server at rest has none, nor has a closed one. */
function openTimer(look: () => void): (isNeeded: boolean) => void {
  let timer: NodeJS.Timeout | undefined
  return (isNeeded) => {
    if (isNeeded) timer ??= setInterval(look, mostWaitMs / 4).unref()
    else timer = void clearInterval(timer)
  }
}

function newOwner(): Owner {
  return { weight: 0, admitted: new Map(), waiting: new Map() }
}

function hasOnlyWaiting({ waiting, admitted }: Owner): boolean {
  return waiting.size > 0 && admitted.size === 0
}

/** The incomplete body of another owner with the lowest rate, if that rate is low or its owner has more than one body. */
function findSlowest(owners: Map<string, Owner>, waitingOwner: string): Body | undefined {
  const now = performance.now()
  let slowest: Body | undefined
  let lowestRate = Number.POSITIVE_INFINITY
  for (const [name, owner] of owners) {
    if (name === waitingOwner) continue
    for (const [body, since] of owner.admitted) {
      const rate = (1_000 * body.receivedBytes()) / (now - since)
      const mayEnd = now - since >= mostWaitMs && !body.isComplete()
      const isSlow = rate < slowBytesPerSecond || owner.admitted.size > 1
      if (!mayEnd || !isSlow || rate >= lowestRate) continue
      slowest = body
      lowestRate = rate
    }
  }
  return slowest
}

function tooSlow(): Refusal {
  const message = 'The body came too slowly while others waited; try again in a second.'
  return new Refusal('RATE_LIMITED', message, { retryAfterSeconds: 1 })
}

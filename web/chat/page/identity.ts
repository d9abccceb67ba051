import type { Identity, Tell } from '../shell.ts'
import { bearerOfKey, bearerOfToken, subjectOf } from './bearers.ts'
import type { Memory } from './memory.ts'
import { isRefused, type Request } from './request.ts'

type Parts = {
  memory: Memory
  request: Request
  /** False: the shop does not sign its customers in here. */
  takesMembers: boolean
  tell: Tell
  /** Whoever writes is another one now. */
  changed: (isSame: boolean) => void
  leave: () => void
}

/** Who is writing, as far as the shop's server has signed it. */
export function openIdentity(parts: Parts) {
  const { memory, tell } = parts
  let is: Identity = memory.isMember() ? 'member' : 'none'
  const become = (next: Identity) => {
    is = next
    tell('identity', next)
  }
  return {
    is: () => is,
    bearer: (): string | undefined => {
      if (memory.isMember()) return bearerOfToken(memory.tab.token)
      const key = memory.key()
      return key === undefined ? undefined : bearerOfKey(key)
    },
    identify: async (token: unknown): Promise<'member'> => {
      if (!parts.takesMembers) throw new Error('Signed-in customers are not switched on for this chat.')
      if (typeof token !== 'string' || token === '')
        throw new Error('identify() takes the token of the signed-in customer.')
      if (token === memory.tab.token && is === 'member') return 'member'
      await check(parts, token).catch((error) => {
        const why = isRefused(error) && error.status === 401 ? whyOf(error.reason) : undefined
        if (why) become(why)
        throw why ? new Error(`${why}: ${error.message}`) : error
      })
      const isSame = memory.isMember() && subjectOf(memory.tab.token) === subjectOf(token)
      const isOther = memory.isMember() ? !isSame : isOfOther(memory, token)
      if (isOther) parts.leave()
      if (isSame) memory.saveTab({ token })
      else memory.setToken(token)
      become('member')
      parts.changed(isSame)
      return 'member'
    },
    /** The server does not take the token: an expired one waits for the next, a wrong one is as none. */
    refuse: (why: 'refused' | 'expired') => {
      if (is === why) return
      if (why === 'refused') memory.setToken('')
      become(why)
    },
    none: () => become('none'),
  }
}

/** The browser's own chat belongs to the first member who was here after it. */
function isOfOther(memory: Memory, token: string): boolean {
  return memory.under() !== '' && memory.under() !== subjectOf(token)
}

function whyOf(reason: unknown): 'refused' | 'expired' {
  return reason === 'identity_expired' ? 'expired' : 'refused'
}

/** Asks the server, who alone can tell. Without a connection twice more: a page calls this once. */
async function check({ request }: Parts, token: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await request('messages?after=0', { bearer: bearerOfToken(token), withinMs: 20_000 })
      return
    } catch (error) {
      if (isRefused(error) || attempt === 3) throw error
      await new Promise((done) => setTimeout(done, attempt * 2_000))
    }
  }
}

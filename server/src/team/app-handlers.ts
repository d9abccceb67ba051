import type { Team } from '@patchbay/contract/app/team.ts'
import type { Handlers, Sendable } from '../app-api/handlers.ts'
import { answerSignedIn, type SessionCtx } from '../app-api/session-handlers.ts'
import { beginSession } from '../app-api/sign-in.ts'
import type { Db } from '../platform/database/db.ts'
import type { AccountId } from '../platform/ids.ts'
import { join, openLink, setPasswordByLink } from './join.ts'
import { listInvitations } from './link-store.ts'
import { invite, makePasswordLink, withdraw } from './links.ts'
import { listMembers } from './member-store.ts'
import { changeRole, removeFromTeam } from './members.ts'

type Routes = Extract<keyof Handlers, `${string} /api/${'team' | 'links'}${string}`>

export function teamHandlers(ctx: SessionCtx): Pick<Handlers, Routes> {
  const { db, config } = ctx
  const links = { db, publicUrl: config.publicUrl }
  return {
    'GET /api/team': ({ session }) => showTeam(db, session.accountId),
    'POST /api/team/invitations': ({ session, body, by }) => invite(links, session, { isOwner: body.isOwner, by }),
    'DELETE /api/team/invitations/:linkId': async ({ session, params, by }) => {
      await withdraw(db, session, { linkId: params.linkId, by })
      return { done: true }
    },
    'PATCH /api/team/members/:userId': async ({ session, params, body, by }) => {
      await changeRole(db, session, { userId: params.userId, isOwner: body.isOwner, by })
      return showTeam(db, session.accountId)
    },
    'DELETE /api/team/members/:userId': async ({ session, params, by }) => {
      await removeFromTeam(db, session, { userId: params.userId, by })
      ctx.hint(session.accountId, 'conversations') // theirs are assigned to nobody now
      return showTeam(db, session.accountId)
    },
    'POST /api/team/members/:userId/password': ({ session, params, by }) =>
      makePasswordLink(links, session, { userId: params.userId, by }),
    'POST /api/links': ({ body }) => openLink(db, body.token),
    'POST /api/links/invitation': async ({ body, http, reply, by }) => {
      const joined = await join(db, body, by.address)
      ctx.hint(joined.accountId, 'team')
      return answerSignedIn(ctx, await beginSession(db, joined, by.address), { http, reply })
    },
    'POST /api/links/password': async ({ body, http, reply, by }) => {
      const user = await setPasswordByLink(db, body, by.address)
      return answerSignedIn(ctx, await beginSession(db, user, by.address), { http, reply })
    },
  }
}

async function showTeam(db: Db, accountId: AccountId): Promise<Sendable<Team>> {
  return { members: await listMembers(db, accountId), invitations: await listInvitations(db, accountId) }
}

import type { Team } from '@patchbay/contract/app/team.ts'
import { givenPublicUrl } from '../../platform/config/config.ts'
import type { Db } from '../../platform/database/db.ts'
import type { AccountId } from '../../platform/ids.ts'
import { answerSignedIn, type SessionCtx } from '../sessions/answer-signed-in.ts'
import type { Handlers, Sendable } from '../sessions/handlers.ts'
import { beginSession } from '../sessions/sign-in.ts'
import { describeLink, join, setPasswordByLink } from './join.ts'
import type { FindLink } from './link-lookup.ts'
import { listLinks } from './link-store.ts'
import { invite, makePasswordLink, withdraw } from './links.ts'
import { listMembers } from './member-store.ts'
import { changeRole, removeFromTeam } from './members.ts'

type Routes = Extract<keyof Handlers, `${string} /api/${'team' | 'links'}${string}`>

export function teamHandlers(ctx: SessionCtx & { findLink: FindLink }): Pick<Handlers, Routes> {
  const { db, config, share, findLink } = ctx
  const links = { db, publicUrl: givenPublicUrl(config) }
  return {
    'GET /api/team': ({ session }) => showTeam(db, session.accountId),
    'POST /api/team/invitations': ({ session, body, by }) => invite(links, session, { isOwner: body.isOwner, by }),
    'DELETE /api/team/links/:linkId': async ({ session, params, by }) => {
      await withdraw(db, session, { linkId: params.linkId, by })
      return { done: true }
    },
    'PATCH /api/team/members/:userId': async ({ session, params, body, by }) => {
      await changeRole(db, session, { userId: params.userId, ...body, by })
      return showTeam(db, session.accountId)
    },
    'DELETE /api/team/members/:userId': async ({ session, params, by }) => {
      await removeFromTeam(db, session, { userId: params.userId, by })
      ctx.hint(session.accountId, 'conversations') // theirs are assigned to nobody now
      return showTeam(db, session.accountId)
    },
    'POST /api/team/members/:userId/password': ({ session, params, by }) =>
      makePasswordLink(links, session, { userId: params.userId, by }),
    'POST /api/links': async ({ body, by }) => describeLink(await findLink({ ...body, address: by.address })),
    'POST /api/links/invitation': async ({ body, http, reply, by: { address } }) => {
      const link = await findLink({ token: body.token, address, kind: 'invitation' })
      const signedIn = await share(link.accountId, async () =>
        beginSession(db, await join(db, link, body, address), address),
      )
      ctx.hint(link.accountId, 'team')
      return answerSignedIn(ctx, signedIn, { http, reply })
    },
    'POST /api/links/password': async ({ body, http, reply, by: { address } }) => {
      const link = await findLink({ token: body.token, address, kind: 'password' })
      const signedIn = await share(link.accountId, async () => {
        const { user, note } = await setPasswordByLink(db, link, body, address)
        return beginSession(db, user, address, note)
      })
      return answerSignedIn(ctx, signedIn, { http, reply })
    },
  }
}

async function showTeam(db: Db, accountId: AccountId): Promise<Sendable<Team>> {
  const links = await listLinks(db, accountId)
  return {
    members: await listMembers(db, accountId),
    invitations: links.filter(({ userId }) => userId === null),
    passwordLinks: links.flatMap(({ userId, name, ...link }) => (userId === null ? [] : { ...link, name: name ?? '' })),
  }
}

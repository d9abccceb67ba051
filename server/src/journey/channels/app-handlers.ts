import type { Handlers } from '../../business/sessions/handlers.ts'
import { changeChannel, pauseChannel, removeChannel, resumeChannel } from './change.ts'
import { checkChannel } from './check.ts'
import { connectChannel, listSenders } from './connect.ts'
import type { ChannelCtx } from './ctx.ts'
import { goOnHere } from './go-on.ts'
import { makeMemberSecret } from './member-secret.ts'
import { listRemovedChats } from './own-store.ts'
import { unreachableKinds } from './receiving.ts'
import { refuseUnknown, requireChannel, showChannel, showChannels } from './show.ts'
import { addUse, showCustom, type UseCtx } from './use.ts'

type Routes = Exclude<
  Extract<keyof Handlers, `${string} /api/channels${string}`>,
  `${string}/events` | `${string}/deliveries${string}`
>

/** Built-in channels: connect, look at, change, pause and remove them. */
export function channelHandlers(ctx: ChannelCtx & UseCtx): Pick<Handlers, Routes> {
  return {
    'GET /api/channels': async ({ session: { accountId } }) => ({
      channels: await addUse(ctx, accountId, await showChannels(ctx, accountId)),
      custom: await showCustom(ctx, accountId),
      unreachable: unreachableKinds(ctx),
      removed: await listRemovedChats(ctx.db, accountId),
    }),
    'POST /api/channels': ({ session, body, by }) => connectChannel(ctx, session.accountId, { given: body, by }),
    'POST /api/channels/senders': ({ body }) => listSenders(ctx, body),
    'GET /api/channels/:channelId': async ({ session: { accountId }, params }) => {
      const known = await requireChannel(ctx.db, accountId, params.channelId)
      const [shown = refuseUnknown(known.id)] = await addUse(ctx, accountId, [await showChannel(ctx, known)])
      return shown
    },
    'PATCH /api/channels/:channelId': ({ session, params, body, by }) =>
      changeChannel(ctx, session.accountId, { id: params.channelId, given: body, by }),
    'POST /api/channels/:channelId/check': async ({ session, params, body, by }) => {
      const known = await requireChannel(ctx.db, session.accountId, params.channelId)
      await checkChannel(ctx, known, { takesOver: body.takesOver ?? false, by })
      return showChannel(ctx, known)
    },
    'POST /api/channels/:channelId/secret': ({ session, params, by }) =>
      makeMemberSecret(ctx, session.accountId, { id: params.channelId, by }),
    'POST /api/channels/:channelId/pause': ({ session, params, by }) =>
      pauseChannel(ctx, session.accountId, { id: params.channelId, by }),
    'POST /api/channels/:channelId/resume': ({ session, params, by }) =>
      resumeChannel(ctx, session.accountId, { id: params.channelId, by }),
    'POST /api/channels/resume': async ({ session, by }) => ({ channels: await goOnHere(ctx, session.accountId, by) }),
    'DELETE /api/channels/:channelId': ({ session, params, by }) =>
      removeChannel(ctx, session.accountId, { id: params.channelId, by }),
  }
}

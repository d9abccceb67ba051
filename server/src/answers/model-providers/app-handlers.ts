import type { TryResult } from '@patchbay/contract/app/connections.ts'
import type { Handlers } from '../../business/sessions/handlers.ts'
import type { Outbound } from '../../platform/outbound/client.ts'
import { whyNotCalled } from './check-address.ts'
import { openProvider } from './provider.ts'
import {
  type ConnectionCtx,
  changeConnection,
  makeConnection,
  removeConnection,
  requireConnection,
  showConnection,
  showConnections,
} from './save.ts'
import { type ConnectionRow, noteTry } from './store.ts'

type Routes = Extract<keyof Handlers, `${string} /api/connections${string}`>

/** Returns why a model did not answer. */
export type TryModel = (
  outbound: Outbound,
  asked: ReturnType<typeof openProvider> & { model: string },
) => Promise<string | undefined>

/** Engines are made of connections, so the call that tries one is handed in. */
type TryCtx = ConnectionCtx & Readonly<{ tryModel: TryModel }>

/** Connections to providers of language models, and one call to a model to try them. */
export function connectionHandlers(ctx: TryCtx): Pick<Handlers, Routes> {
  const { db } = ctx
  return {
    'GET /api/connections': async ({ session }) => ({ connections: await showConnections(db, session.accountId) }),
    'POST /api/connections': ({ session, body, by }) => makeConnection(ctx, session.accountId, { given: body, by }),
    'PATCH /api/connections/:connectionId': ({ session, params, body, by }) =>
      changeConnection(ctx, session.accountId, { id: params.connectionId, given: body, by }),
    'DELETE /api/connections/:connectionId': async ({ session, params, by }) => {
      await removeConnection(db, session.accountId, { id: params.connectionId, by })
      return { done: true }
    },
    'POST /api/connections/:connectionId/try': async ({ session, params }) => {
      const row = await requireConnection(db, session.accountId, params.connectionId)
      await noteTry(db, row, await tryConnection(ctx, row))
      return showConnection(db, row)
    },
  }
}

async function tryConnection({ outbound, secretKey, tryModel }: TryCtx, row: ConnectionRow): Promise<TryResult> {
  const begun = performance.now()
  const made = (outcome: TryResult['outcome'], sentence: string) => {
    const durationMs = Math.round(performance.now() - begun)
    return { at: new Date().toISOString(), outcome, sentence, durationMs }
  }
  const reason = row.url === null ? undefined : await whyNotCalled(outbound, row.url)
  if (reason !== undefined) return made('refused', reason)
  const model = row.model ?? ''
  const failure = await tryModel(outbound, { ...openProvider(secretKey, row), model })
  return failure === undefined ? made('answered', `${model} answered.`) : made('failed', failure)
}

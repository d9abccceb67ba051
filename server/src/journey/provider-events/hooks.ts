import { limits } from '@patchbay/contract/limits.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { openTally } from '../../platform/collections.ts'
import { nothingHere } from '../../platform/http/known-paths.ts'
import type { App } from '../../platform/http-app.ts'
import type { Log } from '../../platform/log.ts'
import { Refusal } from '../../platform/refusal.ts'
import type { HookRequest, HookSide } from '../channels/kinds/kind.ts'
import type { ProviderChannel } from '../channels/open-channels.ts'
import type { TakeIn } from './take-in.ts'

/** So many requests of one channel may be under way: a provider that sends more is told to send them again. */
const mostInFlight = 64

export type Hooks = Readonly<{ find: (id: string) => Promise<ProviderChannel | undefined>; takeIn: TakeIn }>

/** What takes in what is posted is loaded with the first call, so that an installation without channels pays nothing for it. */
type HooksCtx = Readonly<{ load: () => Promise<Hooks>; publicUrl: string; log: Log }>

/**
 * Where providers call us. Channel and secret are looked at before a byte of the body is read, and the answer is 200 only when
 * everything in it is committed: a provider that gets another one sends the same again, and finds what is here as copies.
 */
export function addHooks(app: App, ctx: HooksCtx): void {
  const inFlight = openTally()
  const admitted = new WeakMap<FastifyRequest, Admitted>()

  async function admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { kind, channelId } = request.params as { kind: string; channelId: string } // as the path says
    const channel = await find(ctx, channelId)
    if (channel === 'not now') return sendLater(reply)
    if (!channel?.kind.hook || channel.kind.name !== kind || !channel.credentials) throw nothingHere()
    const { hook } = channel.kind
    const { now, before } = channel.credentials
    const all = before && before.until > Date.now() ? [now, before.secrets] : [now]
    const secrets = all.filter((one) => hook.mayBeAuthentic(request.headers, one))
    if (secrets.length === 0) throw unknownCaller()
    if (!hook.contentTypes.some((one) => one === contentTypeOf(request))) {
      throw new Refusal('INVALID_REQUEST', `Send the body with Content-Type: ${hook.contentTypes[0]}.`)
    }
    if (inFlight.of(channelId) >= mostInFlight) return sendLater(reply)
    inFlight.add(channelId, 1)
    reply.raw.once('close', () => inFlight.add(channelId, -1))
    admitted.set(request, { channel, hook, secrets })
  }

  void app.register(async (hooks) => {
    hooks.removeAllContentTypeParsers()
    const contentTypes = ['application/json', 'application/x-www-form-urlencoded']
    hooks.addContentTypeParser<Buffer>(contentTypes, { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    for (const url of ['/hooks/:kind/:channelId', '/hooks/:kind/:channelId/:about']) {
      hooks.route<{ Body: Buffer }>({
        method: 'POST',
        url,
        bodyLimit: limits.hookBytes,
        schema: { hide: true },
        onRequest: admit,
        handler: async (request, reply) => {
          const known = admitted.get(request)
          if (!known) throw nothingHere()
          return takeIn(request, reply, known)
        },
      })
    }
  })

  async function takeIn(
    request: FastifyRequest<{ Body: Buffer }>,
    reply: FastifyReply,
    { channel, hook, secrets }: Admitted,
  ): Promise<void> {
    const given = readRequest(ctx, request, channel)
    if (!secrets.some((one) => hook.isAuthentic(given, one))) throw unknownCaller()
    try {
      await (await ctx.load()).takeIn(channel, hook.read(given, channel.row.settings))
    } catch (error) {
      ctx.log.warn(
        { reason: String(error), channelId: channel.row.id },
        'what a provider posted is not kept yet; it sends it again',
      )
      return sendLater(reply)
    }
    if (hook.answer) void reply.type(hook.answer.contentType)
    void reply.code(200).send(hook.answer?.body)
  }
}

/** The secrets by which the head of the request may be the provider's. */
type Admitted = { channel: ProviderChannel; hook: HookSide<unknown, unknown>; secrets: unknown[] }

/**
 * The addresses that it may have been called by are the one that counts now and the one that was set last, each with what follows
 * them in the request, as it came: never what the request itself says of its host.
 */
function readRequest(
  { publicUrl }: HooksCtx,
  { headers, body, raw, params }: FastifyRequest<{ Body: Buffer }>,
  { row, kind }: ProviderChannel,
): HookRequest {
  const { about = '' } = params as { about?: string } // as the paths say
  const target = raw.url ?? ''
  const path = `/hooks/${kind.name}/${row.id}`
  const bases = [publicUrl, row.hookUrl?.endsWith(path) ? row.hookUrl.slice(0, -path.length) : publicUrl]
  const at = target.indexOf('?')
  const query = new URLSearchParams(at < 0 ? '' : target.slice(at + 1))
  const urls = [...new Set(bases)].map((base) => base + target)
  return { headers, body, about, query, urls, receivedAt: Date.now() }
}

function contentTypeOf({ headers }: FastifyRequest): string | undefined {
  return headers['content-type']?.split(';')[0]?.trim().toLowerCase()
}

const unknownCaller = () => new Refusal('UNAUTHORIZED', 'The secret of the provider is missing or wrong.')

/** Without the database nobody knows whether there is such a channel: that is no reason to lose what it was sent. */
async function find({ load, log }: HooksCtx, channelId: string): Promise<ProviderChannel | undefined | 'not now'> {
  try {
    return await (await load()).find(channelId)
  } catch (error) {
    log.warn({ reason: String(error) }, 'the channel of a hook cannot be looked up now; its provider sends it again')
    return 'not now'
  }
}

/** Nothing is lost by it: the provider sends it again. */
function sendLater(reply: FastifyReply): void {
  void reply.code(503).header('retry-after', '1').send()
}

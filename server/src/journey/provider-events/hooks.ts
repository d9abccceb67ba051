import { limits } from '@patchbay/contract/limits.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { openTally } from '../../platform/collections.ts'
import { nothingHere } from '../../platform/http/known-paths.ts'
import type { App } from '../../platform/http-app.ts'
import type { Log } from '../../platform/log.ts'
import { Refusal } from '../../platform/refusal.ts'
import { parseLeniently } from '../../platform/request-body/parse-json.ts'
import type { ProviderChannel } from '../channels/open-channels.ts'
import type { TakeIn } from './take-in.ts'

/** So many requests of one channel may be under way: a provider that sends more is told to send them again. */
const mostInFlight = 64

export type Hooks = Readonly<{ find: (id: string) => Promise<ProviderChannel | undefined>; takeIn: TakeIn }>

/** What takes in what is posted is loaded with the first call, so that an installation without channels pays nothing for it. */
type HooksCtx = Readonly<{ load: () => Promise<Hooks>; log: Log }>

/**
 * Where providers call us. Channel and secret are looked at before a byte of the body is read, and the answer is 200 only when
 * everything in it is committed: a provider that gets another one sends the same again, and finds what is here as copies.
 */
export function addHooks(app: App, ctx: HooksCtx): void {
  const inFlight = openTally()
  const channels = new WeakMap<FastifyRequest, ProviderChannel>()

  async function admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { kind, channelId } = request.params as { kind: string; channelId: string } // as the path says
    const channel = await find(ctx, channelId)
    if (channel === 'not now') return sendLater(reply)
    if (!channel?.kind.hook || channel.kind.name !== kind || !channel.credentials) throw nothingHere()
    const { now, before } = channel.credentials
    const secrets = before && before.until > Date.now() ? [now, before.secrets] : [now]
    const isKnown = secrets.some((one) => isAuthentic(channel, request, one))
    if (!isKnown) throw new Refusal('UNAUTHORIZED', 'The secret of the provider is missing or wrong.')
    if (inFlight.of(channelId) >= mostInFlight) return sendLater(reply)
    inFlight.add(channelId, 1)
    reply.raw.once('close', () => inFlight.add(channelId, -1))
    channels.set(request, channel)
  }

  void app.register(async (hooks) => {
    hooks.removeAllContentTypeParsers()
    hooks.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
      done(null, body),
    )
    hooks.route<{ Body: Buffer }>({
      method: 'POST',
      url: '/hooks/:kind/:channelId',
      bodyLimit: limits.hookBytes,
      schema: { hide: true },
      onRequest: admit,
      handler: async (request, reply) => {
        const channel = channels.get(request)
        if (!channel?.kind.hook) throw nothingHere()
        const body = parseLeniently(request.body)
        const events =
          body === undefined
            ? [{ is: 'not read' as const, why: 'it is no JSON', raw: request.body.toString('utf8') }]
            : channel.kind.hook.read(body, Date.now())
        try {
          await (await ctx.load()).takeIn(channel, events)
        } catch (error) {
          ctx.log.warn(
            { reason: String(error), channelId: channel.row.id },
            'what a provider posted is not kept yet; it sends it again',
          )
          return sendLater(reply)
        }
        return reply.code(200).send()
      },
    })
  })
}

/** Without the database nobody knows whether there is such a channel: that is no reason to lose what it was sent. */
async function find({ load, log }: HooksCtx, channelId: string): Promise<ProviderChannel | undefined | 'not now'> {
  try {
    return await (await load()).find(channelId)
  } catch (error) {
    log.warn({ reason: String(error) }, 'the channel of a hook cannot be looked up now; its provider sends it again')
    return 'not now'
  }
}

function isAuthentic({ kind }: ProviderChannel, { headers }: FastifyRequest, secrets: unknown): boolean {
  return kind.hook?.isAuthentic(headers, secrets) === true
}

/** Nothing is lost by it: the provider sends it again. */
function sendLater(reply: FastifyReply): void {
  void reply.code(503).header('retry-after', '1').send()
}

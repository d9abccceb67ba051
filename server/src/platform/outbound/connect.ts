import { once } from 'node:events'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { isSameAddress } from './addresses.ts'
import { OutboundError } from './call.ts'
import { checkTarget, type Guard, hostOf, portOf } from './check-target.ts'
import { startDeadline } from './deadline.ts'
import { toOutboundError } from './to-outbound-error.ts'

/**
 * Checks the target and connects to an address that passed, plain or with TLS according to its scheme. It dials only
 * the addresses of this one lookup, so DNS rebinding has no effect. No socket stays open when it throws.
 */
export async function connect(target: URL, guard: Guard, limits: ConnectLimits): Promise<Socket> {
  try {
    return await dialChecked(target, guard, limits)
  } catch (error) {
    if (error instanceof OutboundError) error.isBeforeRequest = true
    throw error
  }
}

type ConnectLimits = { connectMs: number; signal: AbortSignal }

async function dialChecked(target: URL, guard: Guard, { connectMs, signal }: ConnectLimits): Promise<Socket> {
  const addresses = await checkTarget(target, guard, signal)
  const timeoutError = () => new OutboundError('timeout', `There was no connection within ${connectMs / 1000} seconds.`)
  using deadline = startDeadline(connectMs, timeoutError, signal)
  const socket = dial(target, addresses, connectMs)
  try {
    await waitFor(socket, 'connect', deadline.signal)
    if (!addresses.some((address) => isSameAddress(address, socket.remoteAddress ?? ''))) {
      throw new OutboundError('blocked_address', 'The connection ended at another address than was asked for.')
    }
    return target.protocol === 'https:' ? await secure(socket, hostOf(target), deadline.signal) : socket
  } catch (error) {
    socket.destroy()
    throw deadline.signal.aborted ? deadline.signal.reason : toOutboundError(error, 'connection_refused')
  }
}

/** Tries the addresses one after another: the next one when one refuses, or has not answered in a fifth of the time. */
function dial(target: URL, addresses: string[], connectMs: number): Socket {
  const found = addresses.map((address) => ({ address, family: isIP(address) }))
  return connectTcp({
    host: hostOf(target),
    port: portOf(target),
    noDelay: true,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: Math.max(10, Math.round(connectMs / 5)),
    lookup: (_name, _options, done) => done(null, found),
  })
}

async function waitFor(socket: Socket, event: string, signal: AbortSignal): Promise<void> {
  socket.on('error', () => {}) // later owners add their own listener; without any, an error would end the process
  await once(socket, event, { signal })
}

async function secure(socket: Socket, host: string, signal: AbortSignal): Promise<Socket> {
  const secured = connectTls({
    socket,
    host, // the name or address that the certificate must have
    servername: isIP(host) === 0 ? host : '',
    ALPNProtocols: ['http/1.1'],
    minVersion: 'TLSv1.2',
    rejectUnauthorized: true, // explicit, so that no environment variable can turn it off
  })
  try {
    await waitFor(secured, 'secureConnect', signal)
    return secured
  } catch (error) {
    secured.destroy()
    throw toOutboundError(error, 'tls_error')
  }
}

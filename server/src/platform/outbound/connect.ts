import { once } from 'node:events'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { isSameAddress } from './addresses.ts'
import { checkTarget, type Guard, hostOf, portOf } from './check-target.ts'
import { startDeadline } from './deadline.ts'
import { OutboundError } from './outbound-error.ts'
import { toOutboundError } from './to-outbound-error.ts'

/**
 * Judges the target and connects to an address that passed, in plain or with TLS after its scheme. The addresses are
 * those of this one lookup, so a name that changes its mind changes nothing. Nothing stays open when it throws.
 */
export async function connect(
  target: URL,
  guard: Guard,
  limits: { connectMs: number; signal: AbortSignal },
): Promise<Socket> {
  const { connectMs, signal } = limits
  const addresses = await checkTarget(target, guard, signal)
  const late = () => new OutboundError('timeout', `There was no connection within ${connectMs / 1000} seconds.`)
  using clock = startDeadline(connectMs, late, signal)
  const socket = dial(target, addresses, connectMs)
  try {
    await ready(socket, 'connect', clock.signal)
    if (!addresses.some((address) => isSameAddress(address, socket.remoteAddress ?? ''))) {
      throw new OutboundError('blocked_address', 'The connection ended at another address than was asked for.')
    }
    return target.protocol === 'https:' ? await secure(socket, hostOf(target), clock.signal) : socket
  } catch (error) {
    socket.destroy()
    throw clock.signal.aborted ? clock.signal.reason : toOutboundError(error, 'connection_refused')
  }
}

/** Tries the addresses one after another; the next one when one refuses, or has let a part of the time pass. */
function dial(target: URL, addresses: string[], connectMs: number): Socket {
  return connectTcp({
    host: hostOf(target),
    port: portOf(target),
    noDelay: true,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: Math.max(10, Math.round(connectMs / 5)),
    lookup: (_name, _options, done) =>
      done(
        null,
        addresses.map((address) => ({ address, family: isIP(address) })),
      ),
  })
}

async function ready(socket: Socket, event: string, signal: AbortSignal): Promise<void> {
  socket.on('error', () => {}) // whoever holds the socket next hears of it too; alone, an error would end the process
  await once(socket, event, { signal })
}

async function secure(socket: Socket, host: string, signal: AbortSignal): Promise<Socket> {
  const secured = connectTls({
    socket,
    host, // what the certificate of a bare address must name
    servername: isIP(host) === 0 ? host : '',
    ALPNProtocols: ['http/1.1'],
    minVersion: 'TLSv1.2',
    rejectUnauthorized: true, // said here, so that no environment variable can say otherwise
  })
  try {
    await ready(secured, 'secureConnect', signal)
    return secured
  } catch (error) {
    secured.destroy()
    throw toOutboundError(error, 'tls_error')
  }
}

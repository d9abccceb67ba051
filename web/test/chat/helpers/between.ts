import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

/** A reverse proxy before the server, which does what one does not want of them. */
export async function openBetween(url: string) {
  const tls = join(process.env.PATCHBAY_TEST_DATA ?? '', 'tls')
  const [cert, key] = await Promise.all([readFile(join(tls, 'cert.pem')), readFile(join(tls, 'key.pem'))])
  const between = {
    /** Nothing is passed on before it has ended, so of a stream nothing ever is. */
    isBuffering: false,
    /** Nobody is reached. */
    isDown: false,
    /** Of such requests the server has the whole, and the browser has no answer; the last of them is noted. */
    keepsAnswerTo: '',
    /** What the server has answered and nobody was told. */
    kept: 0,
    origin: '',
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
  const pass = (from: IncomingMessage, to: ServerResponse) => {
    if (between.isDown) return from.socket.destroy()
    const { method, headers } = from
    const onward = request(new URL(from.url ?? '/', url), { method, headers, rejectUnauthorized: false }, (answer) => {
      if (between.keepsAnswerTo !== '' && `${method} ${from.url}`.endsWith(between.keepsAnswerTo)) {
        between.kept += 1
        return answer.resume()
      }
      const head = () => to.writeHead(answer.statusCode ?? 502, answer.headers)
      if (!between.isBuffering) return answer.pipe(head())
      const whole: Buffer[] = []
      answer.on('data', (chunk) => whole.push(chunk))
      return answer.on('end', () => head().end(Buffer.concat(whole)))
    })
    onward.on('error', () => to.destroy())
    to.on('close', () => onward.destroy())
    return from.pipe(onward)
  }
  const server = createServer({ cert, key }, pass)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  between.origin = `https://patchbay.test:${(server.address() as AddressInfo).port}`
  return between
}

// Asks the server in this container whether it is alive. Not whether it is ready: a database that is away is no reason to
// restart the server, and a proxy asks `/readyz` itself.
import { get } from 'node:https'

const { HOST = '127.0.0.1', PORT = '8443' } = process.env
// Connecting to 0.0.0.0 or :: is connecting to this machine. Whose certificate it is does not matter here.
get({ host: HOST, port: PORT, path: '/healthz', rejectUnauthorized: false, timeout: 4_000 })
  .on('response', ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1))
  .on('timeout', () => process.exit(1))
  .on('error', ({ message }) => {
    console.error(message)
    process.exit(1)
  })

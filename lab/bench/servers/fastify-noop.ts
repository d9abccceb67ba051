import { readFile } from 'node:fs/promises'
import { IncomingAccepted, IncomingMessage } from '@patchbay/contract/api/messages.ts'
import Fastify from 'fastify'
import { readConfig } from '../../../server/src/platform/config/config.ts'
import { tlsFiles } from '../../../server/src/platform/https-server/certificate-files.ts'
import { newId } from '../../../server/src/platform/ids.ts'
import { incomingPath } from '../../common/public-api.ts'
import { serveUntilStopped } from './announce.ts'

// What Fastify does over HTTPS when nobody asks anything of it: no key, no limit, no log, nothing kept.
const config = readConfig()
const files = await tlsFiles(config)
const app = Fastify({
  https: { cert: await readFile(files.cert), key: await readFile(files.key) },
  ajv: { customOptions: { allowUnionTypes: true } }, // silences a warning about the schema; changes nothing else
})
app.post(incomingPath, { schema: { body: IncomingMessage, response: { 200: IncomingAccepted } } }, async () => ({
  success: true,
  messageId: newId('msg'),
}))
await app.listen({ host: config.host, port: config.port })
await serveUntilStopped(app.server, files.cert)
app.server.closeAllConnections()
await app.close()

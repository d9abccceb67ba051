import { readFile } from 'node:fs/promises'
import type { FastifyReply } from 'fastify'
import type { Config } from '../config/config.ts'
import { certificateName, ownCertificate } from '../https-server/own-certificate.ts'
import { Refusal } from '../refusal.ts'

/** Answers with the certificate that the server made itself. It is public: every handshake shows it. */
export async function sendCertificate(reply: FastifyReply, config: Config): Promise<FastifyReply> {
  const own = ownCertificate(config)
  if (!own) throw new Refusal('NOT_FOUND', 'Clients know the certificate of this server; none has to be given to them.')
  return reply
    .type('application/x-pem-file')
    .header('content-disposition', `attachment; filename="${certificateName}"`)
    .send(await readFile(own.path))
}

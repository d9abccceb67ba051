import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Answers with a history of credits as a file. */
export function sendCsv(
  { http, reply }: { http: FastifyRequest; reply: FastifyReply },
  pieces: AsyncGenerator<string>,
): FastifyReply {
  reply.type('text/csv; charset=utf-8').header('content-disposition', 'attachment; filename="credits.csv"')
  return http.method === 'HEAD' ? reply.send() : reply.send(Readable.from(pieces))
}

import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'

type Download = { http: FastifyRequest; reply: FastifyReply; fileName: string }

/**
 * Answers with a file, made piece by piece as the client reads it; when the client is gone, no more is made. The first
 * piece is made before the answer begins, so that what goes wrong with it is an answer, too.
 */
export async function sendCsv(
  { http, reply, fileName }: Download,
  pieces: AsyncGenerator<string>,
): Promise<FastifyReply> {
  const first = http.method === 'HEAD' ? undefined : await pieces.next()
  reply.type('text/csv; charset=utf-8').header('content-disposition', `attachment; filename="${fileName}"`)
  return first === undefined || first.done ? reply.send() : reply.send(Readable.from(following(first.value, pieces)))
}

async function* following(first: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield first
  yield* rest
}

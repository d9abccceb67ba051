import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../platform/http-app.ts'
import { Refusal } from '../../platform/refusal.ts'

type Asset = { content: Buffer; type: string; isCompressed: boolean }

/**
 * Serves the files of the builds from memory, some 350 KB a build: only names that were found in their folders can be
 * asked for. Decision 35 says why no package does it.
 */
export async function serveAssets(app: App, folders: string[]): Promise<void> {
  const assets = new Map<string, Asset>()
  for (const folder of folders.toReversed()) await readAssets(folder, assets) // of the same name, the newest is kept
  app.get('/assets/:name', async (request: FastifyRequest<{ Params: { name: string } }>, reply) => {
    const asset = assets.get(request.params.name)
    if (!asset) throw new Refusal('NOT_FOUND', 'There is nothing at this path.')
    return await sendAsset(asset, request, reply)
  })
}

async function readAssets(folder: string, into: Map<string, Asset>): Promise<void> {
  const names = new Set(await readdir(folder))
  for (const name of names) {
    const type = types[extname(name)]
    if (type === undefined) continue // a compressed file is found by the name of its original
    const isCompressed = names.has(`${name}.br`)
    into.set(name, { content: await readFile(join(folder, isCompressed ? `${name}.br` : name)), type, isCompressed })
  }
}

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

const decompress = promisify(brotliDecompress)

/** Names have a hash of the content, so a browser never needs to ask again. */
async function sendAsset({ content, type, isCompressed }: Asset, { headers }: FastifyRequest, reply: FastifyReply) {
  reply.headers({ 'cache-control': 'public, max-age=31536000, immutable', 'content-type': type })
  if (!isCompressed) return content
  reply.header('vary', 'accept-encoding')
  // Every browser takes it over https; what does not is given the original, made anew each time.
  if (!takesBrotli(headers['accept-encoding'])) return await decompress(content)
  reply.header('content-encoding', 'br')
  return content
}

export function takesBrotli(accepted: string | string[] | undefined): boolean {
  return /(^|,)\s*br\s*(;\s*q=(1|0\.\d*[1-9]\d*)\s*)?(,|$)/i.test(String(accepted ?? ''))
}

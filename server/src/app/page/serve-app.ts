import { join } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../platform/http-app.ts'
import { serveAssets } from './assets.ts'
import type { AppFiles } from './open-app-files.ts'

/** Adds the files of the app, and the name of its build to every answer under /api. */
export async function serveApp(app: App, files: AppFiles): Promise<void> {
  if ('problem' in files) return
  const folders = files.roots.map((root) => join(root, 'assets'))
  await serveAssets(app, folders)
  app.addHook('onRequest', (request, reply, done) => {
    if (request.url.startsWith('/api/')) reply.header('x-app-build', files.id)
    done()
  })
}

/**
 * Answers a browser that opens an address of the app; false for anything else. It is asked before a request without a
 * route is refused, and is no route itself: it would answer for missing files, and for paths that only take other methods.
 */
export function answerPages(files: AppFiles): (request: FastifyRequest, reply: FastifyReply) => boolean {
  return (request, reply) => {
    if (!isNavigation(request)) return false
    reply.headers(pageHeaders)
    if ('problem' in files) reply.code(503).type('text/plain; charset=utf-8').send(notBuilt)
    else reply.type('text/html; charset=utf-8').send(files.page)
    return true
  }
}

/** It does not say the reason: whoever opens the page may be a stranger. */
const notBuilt = 'The app is not here: its build failed. The log of the server says why; the API works.\n'

function isNavigation({ method, url, headers }: FastifyRequest): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  return headers.accept?.includes('text/html') === true && !/^\/(v1|api|assets)([/?]|$)/.test(url)
}

/** Allows nothing but our own files, and no way to turn text into HTML or script, whatever a message says. */
const contentPolicy = [
  "default-src 'none'",
  ...['script-src', 'style-src', 'img-src', 'font-src', 'connect-src', 'worker-src', 'manifest-src'].map(
    (directive) => `${directive} 'self'`,
  ),
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

/** The headers of every answer to a browser are set before. */
const pageHeaders = {
  'cache-control': 'no-cache', // it names the current files
  'content-security-policy': contentPolicy,
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
}

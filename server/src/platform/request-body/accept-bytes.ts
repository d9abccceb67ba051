import type { App } from '../http-app.ts'

/** Bodies are bytes. One type for all of them: what they are called cannot make a browser send them without asking. */
export function acceptBytesOnly(app: App): App {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<Buffer>('application/octet-stream', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  )
  return app
}

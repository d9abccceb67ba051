import { certificateWords as words } from './certificate-words.ts'
import type { Server } from './curl.ts'

/** Offers the file of the certificate, where the server made it itself, beside a call that names it. */
export function OwnCertificate({ server }: { server: Server }) {
  if (server.certificate === null) return null
  return (
    <p className="small muted">
      {words.says}{' '}
      <a className="link" href="/api/certificate" download>
        {words.download}
      </a>
    </p>
  )
}

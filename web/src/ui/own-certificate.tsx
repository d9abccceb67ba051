import { certificateWords as words } from './certificate-words.ts'
import type { Server } from './curl.ts'

/** Beside a call that names the file of the certificate: the file, where the server made it itself. */
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

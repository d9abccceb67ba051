import { useQuery } from '@tanstack/react-query'
import { read } from '../data/queries.ts'
import { CodeBlock } from '../ui/code-block.tsx'
import { CopyLine } from '../ui/copy-line.tsx'
import { curlOf, serverOf } from '../ui/curl.ts'
import { OwnCertificate } from '../ui/own-certificate.tsx'
import { listWords as words } from './words.ts'

/** The ID, and the call of the API that names it; copied, the call is a whole command with this server's address. */
export function ListCall({ listId }: { listId: string }) {
  const { data: me } = useQuery(read('GET /api/session'))
  const path = `/v1/lists/${listId}/contacts`
  return (
    <div className="well idcard">
      <div className="stack stack-3">
        <div>
          <h3 className="h-section">{words.id}</h3>
          <p className="muted">{words.idSays}</p>
        </div>
        <div>
          <CopyLine text={listId} what={words.copyId} />
        </div>
      </div>
      {me && (
        <div className="stack">
          <CodeBlock text={curlOf(serverOf(me), path, { contactId: 'con_…' })} label={words.copyCall}>
            <span className="code-name">POST</span> /v1/lists/<b>{listId}</b>/contacts{'\n'}
            {'{ '}
            <span className="code-text">"contactId"</span>: <span className="code-text">"con_…"</span>
            {' }'}
          </CodeBlock>
          <OwnCertificate server={serverOf(me)} />
        </div>
      )}
    </div>
  )
}

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { read } from '../data/queries.ts'
import { Button, buttonClass } from '../ui/button.tsx'
import { CodeBlock } from '../ui/code-block.tsx'
import { curlOf, serverOf } from '../ui/curl.ts'
import { Empty } from '../ui/empty.tsx'
import { OwnCertificate } from '../ui/own-certificate.tsx'
import { contactWords as words } from './words.ts'

/** Nobody to show: nobody matches, nobody is on the list, or nobody is there yet. */
export function NoContacts({
  q,
  listId,
  onCreate,
}: {
  q: string | undefined
  listId: string | undefined
  onCreate: () => void
}) {
  const { data: me } = useQuery(read('GET /api/session'))
  const showAll = (
    <Link to="/contacts" className={buttonClass()}>
      {words.showAll}
    </Link>
  )
  if (q) {
    return (
      <Empty title={words.nobody(q)} says={words.nobodySays}>
        {showAll}
      </Empty>
    )
  }
  if (listId) return <Empty title={words.nobodyOnList}>{showAll}</Empty>
  return (
    <div className="no-contacts">
      <Empty title={words.empty} says={words.emptySays} art>
        <Button aria-haspopup="dialog" onClick={onCreate}>
          {words.newContact}
        </Button>
      </Empty>
      {me && (
        <div className="stack">
          <CodeBlock
            text={curlOf(serverOf(me), '/v1/contacts', { firstName: 'Ana', phone: '+15551234567' })}
            label={words.copyCall}
          />
          <OwnCertificate server={serverOf(me)} />
        </div>
      )}
    </div>
  )
}

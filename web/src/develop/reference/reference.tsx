import '../../ui/side-nav.css'
import './reference.css'
import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { read } from '../../data/queries.ts'
import { shellWords } from '../../shell/words.ts'
import { CopyLine } from '../../ui/copy-line.tsx'
import { serverOf } from '../../ui/curl.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { WaitingBlock } from '../../ui/waiting.tsx'
import { DevelopHead } from '../develop-head.tsx'
import { Also, type AlsoPage, alsoPages } from './also.tsx'
import { Endpoint } from './endpoint.tsx'
import { type ApiDocument, type Operation, readOperations } from './read-api.ts'
import { referenceWords as words } from './words.ts'

/** Develop › API reference, made from the description of the API, with the address of this server. */
export function Reference() {
  useTitle(shellWords.reference)
  const { at } = useSearch({ from: '/shell/develop/reference' })
  const found = useQuery(read('GET /api/reference'))
  const { data: me } = useQuery(read('GET /api/session'))
  const operations = found.data ? readOperations(found.data as ApiDocument) : []
  const page = alsoPages.find((name) => name === at)
  const operation = operations.find(({ id }) => id === at) ?? operations[0]
  return (
    <>
      <DevelopHead says={words.baseUrl}>
        <CopyLine text={me ? `${serverOf(me).publicUrl}/v1` : ''} what={words.baseUrlWhat} />
      </DevelopHead>
      {operation && me ? (
        <div className="with-nav ref-nav">
          <div className="with-nav-side">
            <Contents operations={operations} current={page ?? operation.id} />
          </div>
          {page ? <Also page={page} /> : <Endpoint operation={operation} server={serverOf(me)} key={operation.id} />}
        </div>
      ) : found.error ? (
        <ErrorState error={found.error} retry={() => void found.refetch()} />
      ) : (
        <WaitingBlock height={480} />
      )}
    </>
  )
}

function Contents({ operations, current }: { operations: Operation[]; current: Operation['id'] | AlsoPage }) {
  const tags = [...new Set(operations.map(({ tag }) => tag))]
  const isCurrent = (id: string) => (id === current ? ('true' as const) : undefined)
  return (
    <nav className="side-nav eps" aria-label={words.contents}>
      {tags.map((tag) => (
        <div key={tag}>
          <h2>{tag}</h2>
          {operations
            .filter((operation) => operation.tag === tag)
            .map(({ id, method, path }) => (
              <Link to="/develop/reference" search={{ at: id }} aria-current={isCurrent(id)} activeProps={{}} key={id}>
                <span className="mono eps-method">{method}</span>
                <span className="cut mono" title={path}>
                  {path.slice(1)}
                </span>
              </Link>
            ))}
        </div>
      ))}
      <div>
        <h2>{words.more}</h2>
        {alsoPages.map((page) => (
          <Link
            to="/develop/reference"
            search={{ at: page }}
            aria-current={isCurrent(page)}
            activeProps={{}}
            key={page}
          >
            <span className="cut">{words.also[page]}</span>
          </Link>
        ))}
      </div>
    </nav>
  )
}

import '../sign-in/sign-in.css'
import type { Me } from '@patchbay/contract/app/session.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useLocation, useNavigate } from '@tanstack/react-router'
import { call } from '../api.ts'
import { read } from '../queries.ts'
import { Mark } from '../shell/mark.tsx'
import { Rack } from '../sign-in/rack.tsx'
import { whySignedOut } from '../sign-in/why-signed-out.ts'
import { buttonClass } from '../ui/button.tsx'
import { sayError } from '../ui/error-state.tsx'
import { useTitle } from '../ui/use-title.ts'
import { shellWords } from '../words/shell.ts'
import { teamWords as words } from '../words/team.ts'
import { JoinForm } from './join-form.tsx'
import { PasswordForm } from './password-form.tsx'

/** What a link opens: an invitation to a team, or a new password. The token is behind the #, so that no server logs it. */
export function Join() {
  useTitle(words.joinTitle)
  return (
    <main className="sign-in" id="main">
      <div className="left">
        <div className="brand">
          <Mark size={24} />
          {shellWords.app}
        </div>
        <Opened token={useLocation({ select: ({ hash }) => hash })} />
      </div>
      <Rack />
    </main>
  )
}

function Opened({ token }: { token: string }) {
  const goOn = useGoOn()
  const link = useQuery({
    queryKey: ['POST /api/links', token],
    queryFn: () => call('POST /api/links', { body: { token } }),
    enabled: token !== '',
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (link.data?.kind === 'invitation') return <JoinForm link={link.data} token={token} onDone={goOn} />
  if (link.data) return <PasswordForm link={link.data} token={token} onDone={goOn} />
  if (link.isFetching) return <p className="muted">{words.opening}</p>
  return <Ended error={link.error} />
}

/** Whoever was signed in here before is not any more. */
function useGoOn() {
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  return async (me: Me) => {
    whySignedOut.set(null)
    queryClient.clear()
    queryClient.setQueryData(read('GET /api/session').queryKey, me)
    await navigate({ href: '/', replace: true })
  }
}

function Ended({ error }: { error: Error | null }) {
  const isOurs = error !== null && sayError(error).hint !== ''
  return (
    <div className="stack stack-3" role="alert">
      <h1>{isOurs ? sayError(error).title : words.ended}</h1>
      <p className="muted">{isOurs ? sayError(error).hint : words.endedSays}</p>
      <div>
        <Link to="/sign-in" className={buttonClass()}>
          {words.toSignIn}
        </Link>
      </div>
    </div>
  )
}

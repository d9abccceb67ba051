import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from '@tanstack/react-router'
import { call } from '../data/api.ts'
import { teamWords as words } from '../settings/team/words.ts'
import { SignInFrame } from '../sign-in/sign-in-frame.tsx'
import { useGoOn } from '../sign-in/use-go-on.ts'
import { buttonClass } from '../ui/button.tsx'
import { sayError } from '../ui/error-state.tsx'
import { JoinForm } from './join-form.tsx'
import { PasswordForm } from './password-form.tsx'

/** What a link opens: an invitation to a team, or a new password. The token is behind the #, so that no server logs it. */
export function Join() {
  return (
    <SignInFrame title={words.joinTitle}>
      <JoinLink token={useLocation({ select: ({ hash }) => hash })} />
    </SignInFrame>
  )
}

function JoinLink({ token }: { token: string }) {
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
  return <LinkError error={link.error} />
}

function LinkError({ error }: { error: Error | null }) {
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

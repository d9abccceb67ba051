import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import LogOut from 'lucide-react/icons/log-out'
import { call } from '../../data/api.ts'
import { queryClient } from '../../data/queries.ts'
import { Button } from '../../ui/button.tsx'
import { sayError } from '../../ui/error-state.tsx'
import { Section } from '../../ui/section.tsx'
import { accountWords as words } from './words.ts'

/** Signing out, here or in every browser; an agency that visits does the latter at home. */
export function Sessions({ others, isVisiting }: { others: number; isVisiting: boolean }) {
  const navigate = useNavigate()
  const signOut = useMutation({
    mutationFn: (isEverywhere: boolean) => call(isEverywhere ? 'DELETE /api/sessions' : 'DELETE /api/session'),
    // First away from the screens, then what they showed is forgotten: they must not fetch it again.
    onSuccess: () => void navigate({ to: '/sign-in' }).then(() => queryClient.clear()),
  })
  const isPending = (isEverywhere: boolean) => signOut.isPending && signOut.variables === isEverywhere
  return (
    <Section title={words.sessions} says={words.sessionsSays}>
      <p>
        {words.here} <span className="muted">· {words.others(others)}</span>
      </p>
      <div className="row wrap">
        <Button busy={isPending(false) && words.signingOut} onClick={() => signOut.mutate(false)}>
          <LogOut className="i" />
          {words.signOut}
        </Button>
        {!isVisiting && (
          <Button busy={isPending(true) && words.signingOut} onClick={() => signOut.mutate(true)}>
            {words.signOutEverywhere}
          </Button>
        )}
      </div>
      {signOut.error && <span className="error">{sayError(signOut.error).title}</span>}
    </Section>
  )
}

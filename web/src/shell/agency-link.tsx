import type { Me } from '@patchbay/contract/app/session.ts'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import KeyRound from 'lucide-react/icons/key-round'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import { call } from '../data/api.ts'
import { queryClient, read } from '../data/queries.ts'
import { Banner } from '../ui/banner.tsx'
import { Button, buttonClass } from '../ui/button.tsx'
import { sayError } from '../ui/error-state.tsx'
import { Time } from '../ui/time.tsx'
import { showToast } from '../ui/toast.ts'
import { agencyLinkWords as words } from './agency-link-words.ts'

/** Tells an owner of a sub-account that its agency made a link for a password, and whether it was used. */
export function AgencyLinkNotice({ agencyName, madeAt, usedAt, isOpen }: NonNullable<Me['agencyLink']>) {
  const isLastUsed = usedAt !== null && usedAt >= madeAt
  const told = useMutation({
    mutationFn: () => call('PUT /api/session/told'),
    onSuccess: (me) => queryClient.setQueryData(read('GET /api/session').queryKey, me),
    onError: (error) => showToast({ text: sayError(error).title, icon: TriangleAlert }),
  })
  return (
    <Banner>
      <KeyRound className="i" />
      <span className="grow">
        {words.made(agencyName)} <Time at={madeAt} as="clock" />.{' '}
        {!isLastUsed && (isOpen ? words.notUsed : words.ended)}{' '}
        {usedAt !== null && (
          <>
            {isLastUsed ? words.used : words.usedBefore} <Time at={usedAt} as="clock" />. {words.usedSays}
          </>
        )}
      </span>
      <Link to="/settings/audit" className={buttonClass('quiet', 'sm')}>
        {words.audit}
      </Link>
      <Button size="sm" busy={told.isPending && words.closing} onClick={() => told.mutate()}>
        {words.close}
      </Button>
    </Banner>
  )
}

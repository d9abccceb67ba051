import { useMutation } from '@tanstack/react-query'
import Play from 'lucide-react/icons/play'
import { call } from '../data/api.ts'
import { queryClient } from '../data/queries.ts'
import { Button } from '../ui/button.tsx'
import { sayError } from '../ui/error-state.tsx'
import { StatusDot } from '../ui/status-dot.tsx'
import { firstRunWords as words } from './words.ts'

/** Does the step through the simulator: somebody made up writes the message. */
export function TryHere({ body }: { body: string }) {
  const send = useMutation({
    mutationFn: () => sendAsAna(body),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['GET /api/first-run'] }),
  })
  return (
    <div className="row wrap">
      <span className="small muted row fr-tight" role="status">
        <StatusDot state="ok" />
        {send.isSuccess ? words.tried : words.listening}
      </span>
      {send.error && <span className="error">{sayError(send.error).title}</span>}
      <Button
        size="sm"
        className="end"
        title={words.tryHint}
        busy={send.isPending && words.trying}
        onClick={() => send.mutate()}
      >
        <Play className="i i-14" />
        {words.tryHere}
      </Button>
    </div>
  )
}

/** Sends the message as Ana; all tries together make one of her. */
async function sendAsAna(body: string): Promise<void> {
  const { contacts } = await call('GET /api/simulator')
  const known = contacts.find(({ name }) => name === ana.firstName)
  const { contactId } = known ?? (await call('POST /api/simulator/contacts', { body: ana }))
  await call('POST /api/simulator/contacts/:contactId/messages', { params: { contactId }, body: { body } })
}

const ana = { firstName: 'Ana', channel: 'Web chat' }

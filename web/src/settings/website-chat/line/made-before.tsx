import { useMutation, useQuery } from '@tanstack/react-query'
import { channelsQuery } from '../../../channels/data/queries.ts'
import { call } from '../../../data/api.ts'
import { Button } from '../../../ui/button.tsx'
import { Failed } from '../../../ui/failed.tsx'
import { Time } from '../../../ui/time.tsx'
import { chatWords as words } from '../words.ts'

/** Chats that were disconnected: each can be there again, as a sender is that is connected again. */
export function MadeBefore({ onMade }: { onMade: (channelId: string) => unknown }) {
  const removed = useQuery(channelsQuery).data?.removed ?? []
  const take = useMutation({
    mutationFn: (again: string) => call('POST /api/channels', { body: { kind: 'webchat', again } }),
    onSuccess: ({ id }) => onMade(id),
  })
  if (removed.length === 0) return null
  return (
    <section className="stack stack-3 chat-set-text" aria-label={words.before}>
      <h3 className="label">{words.before}</h3>
      <p className="muted">{words.beforeSays}</p>
      <Failed error={take.error} />
      <ul className="chat-set-before">
        {removed.map(({ id, name, address, removedAt }) => (
          <li key={id} className="row between wrap">
            <span>
              <b className="strong">
                <bdi>{name}</bdi>
              </b>{' '}
              <span className="small muted">
                <bdi className="mono">{address}</bdi> · {words.removed} <Time at={removedAt} />
              </span>
            </span>
            <Button
              size="sm"
              aria-label={words.againNamed(name)}
              busy={take.isPending && take.variables === id && words.making}
              onClick={() => take.mutate(id)}
            >
              {words.again}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}

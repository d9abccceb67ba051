import type { ShownBroadcast } from '@patchbay/contract/app/broadcasts.ts'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import Pause from 'lucide-react/icons/pause'
import Pencil from 'lucide-react/icons/pencil'
import Play from 'lucide-react/icons/play'
import Square from 'lucide-react/icons/square'
import { useState } from 'react'
import { call } from '../data/api.ts'
import { queryClient, read } from '../data/queries.ts'
import { useMay } from '../data/use-may.ts'
import { AskDestroy } from '../ui/ask-destroy.tsx'
import { Button, buttonClass } from '../ui/button.tsx'
import { Failed } from '../ui/failed.tsx'
import { broadcastWords as words } from './words.ts'

/**
 * Pause, resume, stop: each acts at once. Only stopping asks, because it cannot be taken back. One that has not started can be changed,
 * and is cancelled instead.
 */
export function Control({ broadcast }: { broadcast: ShownBroadcast }) {
  const { id, state, counts, halted } = broadcast
  const isScheduled = state === 'scheduled'
  const isUnstarted = isScheduled || halted?.reason === 'missed_start'
  const [isAsking, setAsking] = useState(false)
  const pause = useStep(id, 'POST /api/broadcasts/:broadcastId/pause')
  const resume = useStep(id, 'POST /api/broadcasts/:broadcastId/resume')
  const stop = useStep(id, 'POST /api/broadcasts/:broadcastId/stop')
  const { manage } = useMay()
  if (!manage || state === 'stopped' || state === 'finished') return null
  return (
    <>
      <div className="row end">
        {isUnstarted && (
          <Link to="/broadcasts" search={{ change: id }} className={buttonClass()}>
            <Pencil className="i" />
            {words.changeIt}
          </Link>
        )}
        {isScheduled ? null : state === 'paused' ? (
          <Button look="primary" busy={resume.isPending && words.resuming} onClick={() => resume.mutate()}>
            <Play className="i" />
            {isUnstarted ? words.startIt : words.resume}
          </Button>
        ) : (
          <Button busy={pause.isPending && words.pausing} onClick={() => pause.mutate()}>
            <Pause className="i" />
            {words.pause}
          </Button>
        )}
        <Button onClick={() => setAsking(true)}>
          <Square className="i" />
          {isUnstarted ? words.cancelIt : words.stop}
        </Button>
      </div>
      <Failed error={pause.error ?? resume.error} />
      {isAsking && (
        <div className="broadcast-ask">
          <AskDestroy
            destroy={stop}
            words={isUnstarted ? words.cancelWords : words.stopWords}
            onKeep={() => setAsking(false)}
          >
            <p>
              <b className="strong">{isUnstarted ? words.cancelAsk : words.stopAsk}</b>{' '}
              {isUnstarted ? words.cancelSays : words.stopSays(counts.waiting)}
            </p>
          </AskDestroy>
        </div>
      )}
    </>
  )
}

type Step = 'pause' | 'resume' | 'stop'

function useStep(broadcastId: string, route: `POST /api/broadcasts/:broadcastId/${Step}`) {
  const params = { broadcastId }
  return useMutation({
    mutationFn: () => call(route, { params }),
    onSuccess: (broadcast) => {
      queryClient.setQueryData(read('GET /api/broadcasts/:broadcastId', { params }).queryKey, broadcast)
      void queryClient.invalidateQueries({ queryKey: ['GET /api/broadcasts'] })
    },
    onError: () => void queryClient.invalidateQueries({ queryKey: ['GET /api/broadcasts/:broadcastId'] }),
  })
}

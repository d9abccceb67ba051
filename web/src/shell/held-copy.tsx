import { useMutation } from '@tanstack/react-query'
import Hourglass from 'lucide-react/icons/hourglass'
import { useState } from 'react'
import { refreshChannels } from '../channels/data/queries.ts'
import { call } from '../data/api.ts'
import { useMay } from '../data/use-may.ts'
import { Banner } from '../ui/banner.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Failed } from '../ui/failed.tsx'
import { showToast } from '../ui/toast.ts'
import { heldCopyWords as words } from './held-copy-words.ts'

/** The channels of a restored copy are held until an owner says that the copy goes on. */
export function HeldCopyNotice({ count }: { count: number }) {
  const { ownAtHome } = useMay()
  const [isAsked, setAsked] = useState(false)
  return (
    <Banner>
      <Hourglass className="i" />
      <span className="grow">{words.held(count)}</span>
      {ownAtHome && (
        <Button size="sm" aria-haspopup="dialog" onClick={() => setAsked(true)}>
          {words.answer}
        </Button>
      )}
      {isAsked && <Ask onClose={() => setAsked(false)} />}
    </Banner>
  )
}

function Ask({ onClose }: { onClose: () => void }) {
  const resume = useMutation({
    mutationFn: () => call('POST /api/channels/resume'),
    onSuccess: async () => {
      onClose()
      showToast({ text: words.done })
      await refreshChannels()
    },
  })
  return (
    <Dialog
      title={words.title}
      onClose={onClose}
      footer={
        <>
          <Button look="primary" busy={resume.isPending && words.going} onClick={() => resume.mutate()}>
            {words.yes}
          </Button>
          <Button onClick={onClose}>{words.no}</Button>
        </>
      }
    >
      <p>{words.goesOn}</p>
      <p className="muted">{words.stays}</p>
      <Failed error={resume.error} />
    </Dialog>
  )
}

import { useMutation } from '@tanstack/react-query'
import RotateCcw from 'lucide-react/icons/rotate-ccw'
import { useState } from 'react'
import { call } from '../../data/api.ts'
import { useMay } from '../../data/use-may.ts'
import { Button } from '../../ui/button.tsx'
import { simulatorWords as words } from './words.ts'

/** Erases all simulated contacts, after it asked where it was clicked. */
export function StartOver({ hasContacts, done }: { hasContacts: boolean; done: () => Promise<void> }) {
  const [isAsking, setAsking] = useState(false)
  const { ownAtHome } = useMay()
  const erase = useMutation({
    mutationFn: () => call('DELETE /api/simulator'),
    onSuccess: async () => {
      setAsking(false)
      await done()
    },
  })
  if (!hasContacts) return null
  if (!ownAtHome) return <span className="small faint">{words.onlyOwner}</span>
  if (!isAsking)
    return (
      <Button onClick={() => setAsking(true)}>
        <RotateCcw className="i" />
        {words.startOver}
      </Button>
    )
  return (
    <div className="row wrap">
      <span>{words.startOverAsks}</span>
      <Button look="destroy" busy={erase.isPending && words.startOverDoes} onClick={() => erase.mutate()}>
        {words.startOverDoes}
      </Button>
      <Button onClick={() => setAsking(false)}>{words.keep}</Button>
    </div>
  )
}

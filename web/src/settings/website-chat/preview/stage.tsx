import { useEffect, useRef } from 'react'
import type { Preview, PreviewLooks } from '../../../../chat/preview.ts'
import { classes } from '../../../ui/classes.ts'

/** Where the chat stands. It is the real one, which is loaded here alone. */
export function Stage(looks: PreviewLooks) {
  const element = useRef<HTMLDivElement>(null)
  const preview = useRef<Preview>(undefined)
  const latest = useRef(looks)
  latest.current = looks
  useEffect(() => {
    let isGone = false
    void import('../../../../chat/preview.ts').then(({ mountPreview }) => {
      if (!isGone && element.current) preview.current = mountPreview(element.current, latest.current)
    })
    return () => {
      isGone = true
      preview.current?.remove()
    }
  }, [])
  const key = JSON.stringify(looks)
  // biome-ignore lint/correctness/useExhaustiveDependencies: by what is in it, which is another object each time
  useEffect(() => preview.current?.show(looks), [key])
  return (
    <div className="chat-set-stage">
      <div className={classes('chat-set-shown', looks.view)} ref={element} />
    </div>
  )
}

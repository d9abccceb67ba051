import type { ChatLanguage } from '@patchbay/contract/chat/protocol.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { PageChat } from '../../../channels/data/chat-of.ts'
import { read } from '../../../data/queries.ts'
import { Seg } from '../../../ui/seg.tsx'
import { useNow } from '../../../ui/use-now.ts'
import type { ChatValues } from '../form/values.ts'
import { chatWords as words } from '../words.ts'
import { chatAsSet } from './chat-as-set.ts'
import { Stage } from './stage.tsx'

type Props = { channel: PageChat; values: ChatValues; language: ChatLanguage }

const views = ['open', 'closed', 'phone'] as const
const schemes = ['light', 'dark'] as const
const thereOptions = ['now', 'nobody'] as const

/** The chat as it will be: the real one, with samples. It follows every field while somebody types. */
export function Preview({ channel, values, language }: Props) {
  const [view, setView] = useState<(typeof views)[number]>('open')
  const [looked, setLooked] = useState<'light' | 'dark'>('light')
  const [there, setThere] = useState<(typeof thereOptions)[number]>('now')
  const hasBot = useQuery(read('GET /api/account')).data?.botActive ?? true
  const now = useNow('minute').getTime()
  const scheme = values.scheme === 'auto' ? looked : values.scheme
  return (
    <aside aria-label={words.preview}>
      <div className="row between wrap">
        <h2 className="h-section">{words.preview}</h2>
        <div className="row wrap">
          {values.scheme === 'auto' && (
            <Seg
              label={words.previewScheme}
              value={looked}
              options={schemes.map((value) => ({ value, label: words.previewSchemes[value] }))}
              onChange={setLooked}
            />
          )}
          <Seg
            label={words.preview}
            value={view}
            options={views.map((value) => ({ value, label: words.previewViews[value] }))}
            onChange={setView}
          />
          <Seg
            label={words.previewThere}
            value={there}
            options={thereOptions.map((value) => ({ value, label: words.previewTheres[value] }))}
            onChange={setThere}
          />
        </div>
      </div>
      <Stage settings={chatAsSet(channel, values, { scheme, hasBot, now })} {...{ view, there, language }} />
      <p className="small faint">{words.previewSays}</p>
    </aside>
  )
}

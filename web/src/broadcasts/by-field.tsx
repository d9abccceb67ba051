import type { Channel } from '@patchbay/contract/app/messages.ts'
import { hasProvider } from '@patchbay/contract/channels.ts'
import { limits } from '@patchbay/contract/limits.ts'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useId, useRef } from 'react'
import { read } from '../data/queries.ts'
import { ChannelMark, sayChannel } from '../ui/channel.tsx'
import { Field, SelectField } from '../ui/field.tsx'
import { isBuiltIn } from './draft.ts'
import { broadcastWords as words } from './words.ts'

type Choice = {
  name: string
  value: string
  error: ReactNode
  onChange: (event: { target: { value: string } }) => void
  onBlur: () => void
}

/** By which channel: a built-in one, if there are any, or a custom one, which is named. */
export function ByFields({ by, channel }: { by: Choice; channel: Choice }) {
  const { data } = useQuery(read('GET /api/conversation-filters'))
  const custom = data?.channels.filter(({ kind }) => kind === null) ?? []
  const builtIn = data?.channels.filter(({ kind }) => kind !== null && hasProvider(kind)) ?? []
  const chosen = builtIn.find(({ label }) => label === by.value)
  const [first] = custom.length === 0 ? builtIn : []
  useEffect(() => {
    if (first && by.value === '') by.onChange({ target: { value: first.label } }) // there is no other
  }, [by, first])
  return (
    <>
      {builtIn.length > 0 && (
        <SelectField
          label={words.by}
          aside={chosen && <ChannelMark channel={chosen} />}
          {...by}
          value={by.value || 'custom'}
        >
          {builtIn.map((one) => (
            <option key={one.label} value={one.label}>
              {sayChannel(one)}
            </option>
          ))}
          <option value="custom">{words.byCustom}</option>
        </SelectField>
      )}
      {!isBuiltIn(by.value) && <ChannelField {...channel} custom={custom} />}
    </>
  )
}

/** The field for a custom channel. Those that were used before are offered; a new one may be typed. */
function ChannelField({ custom, ...field }: Choice & { custom: Channel[] }) {
  const { value, onChange } = field
  const id = useId()
  const only = custom.length === 1 ? custom[0]?.label : undefined
  const isOffered = useRef(false)
  useEffect(() => {
    if (only === undefined || isOffered.current) return
    isOffered.current = true // once: who clears it wants another
    if (value === '') onChange({ target: { value: only } })
  }, [only, value, onChange])
  return (
    <div>
      <Field
        label={words.channel}
        hint={words.channelHint}
        list={id}
        autoComplete="off"
        maxLength={limits.nameCharacters}
        {...field}
      />
      <datalist id={id}>
        {custom.map(({ label }) => (
          <option key={label} value={label} />
        ))}
      </datalist>
    </div>
  )
}

import { limits } from '@patchbay/contract/limits.ts'
import { Field } from '../../../ui/field.tsx'
import { Seg } from '../../../ui/seg.tsx'
import type { ChatForm } from '../form/use-chat-form.ts'
import { chatWords as words } from '../words.ts'
import { ColourField } from './colour-field.tsx'

const schemes = ['auto', 'light', 'dark'] as const
const corners = ['left', 'right'] as const

/** What visitors see of it: colour, scheme, corner, name. */
export function Look({ form }: { form: ChatForm }) {
  const { scheme, corner } = form.values
  return (
    <>
      <ColourField form={form} />
      <div className="chat-set-two">
        <div className="field">
          <span className="label">{words.scheme}</span>
          <Seg
            label={words.scheme}
            value={scheme}
            options={schemes.map((value) => ({ value, label: words.schemes[value] }))}
            onChange={(chosen) => form.set({ scheme: chosen })}
          />
        </div>
        <div className="field">
          <span className="label">{words.corner}</span>
          <Seg
            label={words.corner}
            value={corner}
            options={corners.map((value) => ({ value, label: words.corners[value] }))}
            onChange={(chosen) => form.set({ corner: chosen })}
          />
        </div>
      </div>
      <Field
        label={words.name}
        dir="auto"
        autoComplete="off"
        maxLength={limits.nameCharacters}
        {...form.field('name')}
      />
    </>
  )
}

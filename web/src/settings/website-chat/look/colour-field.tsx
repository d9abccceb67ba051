import { type CSSProperties, useId } from 'react'
import { ErrorLine } from '../../../ui/field.tsx'
import type { ChatForm } from '../form/use-chat-form.ts'
import { chatWords as words } from '../words.ts'
import { isColour, textOn } from './contrast.ts'

/** A few colours, and any other. What is written on it always reads well, so none is refused. */
export function ColourField({ form }: { form: ChatForm }) {
  const id = useId()
  const { colour } = form.values
  const isWhole = isColour(colour)
  const set = (to: string) => form.set({ colour: to })
  const { error, ...field } = form.field('colour')
  const { isWhite, ratio } = textOn(isWhole ? colour : '#000000')
  return (
    <fieldset className="field chat-set-fieldset">
      <legend className="label">{words.colour}</legend>
      <div className="chat-set-swatches">
        {Object.entries(words.swatches).map(([hex, name]) => (
          <button
            key={hex}
            type="button"
            className="chat-set-swatch"
            style={{ '--c': hex } as CSSProperties}
            aria-pressed={hex === colour.toUpperCase()}
            aria-label={name}
            title={name}
            onClick={() => set(hex)}
          />
        ))}
        <input
          type="color"
          className="chat-set-pick"
          aria-label={words.ownColour}
          value={isWhole ? colour.toLowerCase() : '#000000'}
          onChange={({ target }) => set(target.value.toUpperCase())}
        />
        <input
          {...field}
          className="input mono chat-set-hex"
          aria-label={words.ownColourHex}
          aria-invalid={error ? true : undefined}
          aria-describedby={`${id}-about`}
          autoComplete="off"
          spellCheck={false}
          maxLength={7}
        />
      </div>
      <span id={`${id}-about`}>
        <ErrorLine error={error} />
        {/* Always a line: what is below must not move when the field is left. */}
        {!error && <span className="hint">{isWhole ? words.contrast(isWhite, ratio) : words.colourWrong}</span>}
      </span>
    </fieldset>
  )
}

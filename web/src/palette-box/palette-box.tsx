import {
  Combobox,
  ComboboxGroup,
  ComboboxGroupLabel,
  ComboboxItem,
  ComboboxList,
  ComboboxProvider,
} from '@ariakit/react/combobox'
import { Dialog } from '@ariakit/react/dialog'
import Search from 'lucide-react/icons/search'
import { useDeferredValue, useState } from 'react'
import { paletteOpen } from '../palette.ts'
import { floatRoot } from '../ui/floats.ts'
import { Kbd } from '../ui/kbd.tsx'
import { paletteWords as words } from '../words/palette.ts'
import { type Option, useOptions } from './use-options.ts'
import './palette-box.css'

/** The command palette: one field for commands, people, lists and words, by keyboard alone. */
export function PaletteBox() {
  const [text, setText] = useState('')
  const options = useOptions(useDeferredValue(text))
  const groups = Map.groupBy(options, ({ group }) => group)
  const close = () => paletteOpen.set(false)
  return (
    <Dialog
      open
      onClose={close}
      className="palette"
      aria-label={words.title}
      portalElement={floatRoot}
      backdrop={<div className="float-scrim" />}
    >
      <ComboboxProvider open setValue={setText} focusLoop>
        <div className="top">
          <Search className="i" aria-hidden />
          <Combobox autoSelect="always" autoFocus aria-label={words.title} placeholder={words.title} />
          <Kbd press="Escape" />
        </div>
        <ComboboxList alwaysVisible className="results" aria-label={words.title}>
          {[...groups].map(([group, each]) => (
            <ComboboxGroup key={group}>
              <ComboboxGroupLabel className="g">{group}</ComboboxGroupLabel>
              {each.map((option) => (
                <Choice key={option.id} option={option} close={close} />
              ))}
            </ComboboxGroup>
          ))}
        </ComboboxList>
        {options.length === 0 && (
          <p className="none muted" role="status">
            {words.nothing}
          </p>
        )}
      </ComboboxProvider>
      <footer aria-hidden>
        <span>
          <Kbd press="ArrowUp" />
          <Kbd press="ArrowDown" /> {words.move}
        </span>
        <span>
          <Kbd press="Enter" /> {words.doIt}
        </span>
      </footer>
    </Dialog>
  )
}

function Choice({ option, close }: { option: Option; close: () => void }) {
  const choose = () => {
    close()
    option.run()
  }
  return (
    <ComboboxItem className="opt" value={option.id} setValueOnClick={false} onClick={choose}>
      <span className="cut" dir="auto">
        {option.label}
      </span>
      {option.aside && <span className="end mono cut faint">{option.aside}</span>}
    </ComboboxItem>
  )
}

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
import { Suspense, useDeferredValue, useState } from 'react'
import { ChannelMark } from '../../ui/channel.tsx'
import { classes } from '../../ui/classes.ts'
import { Kbd } from '../../ui/kbd.tsx'
import { overlayRoot } from '../../ui/overlays.ts'
import { searchWords } from '../../ui/search-words.ts'
import { paletteOpen } from '../palette.ts'
import { type Option, useOptions } from './use-options.ts'
import { paletteWords as words } from './words.ts'
import './palette-box.css'

/** The command palette: one field for commands, people, lists and words, by keyboard alone. */
export function PaletteBox() {
  const [text, setText] = useState('')
  const { options, isTooShort } = useOptions(useDeferredValue(text))
  const groups = Map.groupBy(options, ({ group }) => group)
  const close = () => paletteOpen.set(false)
  return (
    <Dialog
      open
      onClose={close}
      className="palette"
      aria-label={words.title}
      portalElement={overlayRoot}
      backdrop={<div className="overlay-scrim" />}
    >
      <ComboboxProvider open setValue={setText} focusLoop>
        <div className="palette-top">
          <Search className="i" aria-hidden />
          <Combobox autoSelect="always" autoFocus aria-label={words.title} placeholder={words.title} />
          <Kbd press="Escape" />
        </div>
        <ComboboxList alwaysVisible className="palette-results" aria-label={words.title}>
          {[...groups].map(([group, each]) => (
            <ComboboxGroup key={group}>
              <ComboboxGroupLabel className="palette-group">{group}</ComboboxGroupLabel>
              {each.map((option) => (
                <Choice key={option.id} option={option} sought={text.trim()} close={close} />
              ))}
            </ComboboxGroup>
          ))}
        </ComboboxList>
        {(isTooShort || options.length === 0) && (
          <p className="palette-none muted" role="status">
            {isTooShort ? searchWords.typeMore : words.nothing}
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

function Choice({ option, sought, close }: { option: Option; sought: string; close: () => void }) {
  const { id, icon: Icon, channel, label, aside, isCode, keys } = option
  const choose = () => {
    close()
    option.run()
  }
  return (
    <ComboboxItem className="palette-option" value={id} setValueOnClick={false} onClick={choose}>
      {Icon ? (
        <Suspense fallback={<span className="i" />}>
          <Icon className="i" />
        </Suspense>
      ) : channel ? (
        <ChannelMark channel={channel} />
      ) : (
        <span className="channel-mark open" aria-hidden />
      )}
      <span className="cut" dir="auto">
        <MarkedText text={label} sought={sought} />
      </span>
      <span className="end">
        {aside && <bdi className={classes('cut', isCode && 'mono')}>{aside}</bdi>}
        {keys && <Kbd press={keys} />}
      </span>
    </ComboboxItem>
  )
}

/** The part that was typed stands out. */
function MarkedText({ text, sought }: { text: string; sought: string }) {
  const at = sought === '' ? -1 : text.toLowerCase().indexOf(sought.toLowerCase())
  if (at < 0) return text
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, at + sought.length)}</mark>
      {text.slice(at + sought.length)}
    </>
  )
}

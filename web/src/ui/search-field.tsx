import './search.css'
import Search from 'lucide-react/icons/search'
import X from 'lucide-react/icons/x'
import { type ComponentProps, useRef } from 'react'
import { useCommands } from '../commands/commands.ts'
import { keyWords } from '../commands/words.ts'
import { classes } from './classes.ts'
import { IconButton } from './icon-button.tsx'
import { Kbd } from './kbd.tsx'
import { uiWords } from './words.ts'

/** The search of a page; `/` puts the cursor into it, Escape empties it. */
export function SearchField({
  label,
  value,
  onChange,
  className,
  ...rest
}: Omit<ComponentProps<'input'>, 'value' | 'onChange'> & {
  label: string
  value: string
  onChange: (value: string) => void
}) {
  const input = useRef<HTMLInputElement>(null)
  useCommands([{ id: 'search', label, keys: '/', group: keyWords.thisPage, run: () => input.current?.focus() }])
  return (
    <div className={classes('search', className)}>
      <Search className="i" />
      <input
        type="search"
        aria-label={label}
        autoComplete="off"
        spellCheck={false}
        {...rest}
        ref={input}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          if (value === '') input.current?.blur()
          else onChange('')
        }}
      />
      {value === '' ? (
        <Kbd press="/" className="only-wide" />
      ) : (
        <IconButton label={uiWords.clearSearch} small onClick={() => onChange('')}>
          <X className="i i-14" />
        </IconButton>
      )}
    </div>
  )
}

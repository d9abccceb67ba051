import './copy.css'
import { classes } from './classes.ts'
import { CopyButton } from './copy-button.tsx'
import { uiWords } from './words.ts'

/**
 * An id or an address with a copy button. What does not fit is cut at the end, but copied whole; a `whole` one, shown only
 * once, wraps and is never cut.
 */
export function CopyLine({
  text,
  shown = text,
  what,
  bare = false,
  whole = false,
}: {
  text: string
  /** A shorter form of it, such as the beginning and end of an id. */
  shown?: string
  /** Names the button: "list ID" becomes "Copy list ID". */
  what: string
  bare?: boolean
  whole?: boolean
}) {
  return (
    <span className={classes('copy', bare && 'copy-bare', whole && 'whole')}>
      <span className="cut" title={text}>
        {shown}
      </span>
      <CopyButton text={text} label={uiWords.copyIt(what)} />
    </span>
  )
}

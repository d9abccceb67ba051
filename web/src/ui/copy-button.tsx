import Check from 'lucide-react/icons/check'
import Copy from 'lucide-react/icons/copy'
import { IconButton } from './icon-button.tsx'
import { useCopy } from './use-copy.ts'
import { uiWords } from './words.ts'

/** Copies `text`; `label` says what, such as "Copy command". */
export function CopyButton({ text, label, small = true }: { text: string; label: string; small?: boolean }) {
  const { copied, copy } = useCopy(text)
  return (
    <>
      <IconButton label={copied ? uiWords.copied : label} small={small} onClick={copy}>
        {copied ? <Check className="i ok" /> : <Copy className="i" />}
      </IconButton>
      <span className="sr" aria-live="polite">
        {copied && uiWords.copied}
      </span>
    </>
  )
}

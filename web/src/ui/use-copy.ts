import { useEffect, useState } from 'react'

/** How long "Copied" is shown. */
const shownMs = 1_500

/** Copies text; `copied` is true for a moment after it worked. */
export function useCopy(text: string): { copied: boolean; copy: () => void } {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), shownMs)
    return () => clearTimeout(timer)
  }, [copied])
  return { copied, copy: () => void copyText(text).then(setCopied) }
}

/** Copies a text; says whether it worked. Over plain http there is no clipboard API; then the old way is tried. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyBySelection(text)
  }
}

function copyBySelection(text: string): boolean {
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'sr'
  document.body.append(area)
  const before = document.activeElement
  area.select()
  const worked = document.execCommand('copy')
  area.remove()
  if (before instanceof HTMLElement) before.focus()
  return worked
}

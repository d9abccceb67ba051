import { useEffect } from 'react'
import { shellWords } from '../words/shell.ts'

/** The title of the document while a screen is shown. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${shellWords.app}`
  }, [title])
}

import { useEffect } from 'react'
import { shellWords } from '../shell/words.ts'

let shown = ''
let needed = 0

/** The title of the document while a screen is shown. */
export function useTitle(title: string): void {
  useEffect(() => {
    shown = title
    write()
  }, [title])
}

/** Puts how many need somebody before every title, as the rail says it. */
export function setTitleCount(count: number): void {
  needed = count
  write()
}

function write(): void {
  if (shown === '') return
  const count = needed === 0 ? '' : `(${needed > 99 ? '99+' : needed}) `
  document.title = `${count}${shown} · ${shellWords.app}`
}

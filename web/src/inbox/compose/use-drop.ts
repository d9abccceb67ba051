import { useEffect, useRef, useState } from 'react'

/**
 * Takes files that are dropped anywhere on the page, and says whether some are above it: left alone, the browser would open them in
 * place of the app. Text that is dropped goes where it always goes. Without `onFiles` they go nowhere.
 */
export function useDrop(onFiles: ((files: File[]) => void) | undefined): boolean {
  const [isOver, setOver] = useState(false)
  const latest = useRef(onFiles)
  latest.current = onFiles
  useEffect(() => {
    const off = new AbortController()
    const on = (type: 'dragover' | 'dragleave' | 'drop', run: (event: DragEvent) => void) =>
      window.addEventListener(type, run, { signal: off.signal })
    on('dragover', (event) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      setOver(true)
    })
    on('dragleave', ({ relatedTarget }) => relatedTarget === null && setOver(false)) // it has left the page
    on('drop', (event) => {
      setOver(false)
      if (!hasFiles(event)) return
      event.preventDefault()
      latest.current?.([...(event.dataTransfer?.files ?? [])])
    })
    return () => off.abort()
  }, [])
  return isOver && onFiles !== undefined
}

function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes('Files') === true
}

import { type DragEvent, useState } from 'react'

/** What takes a file that is dropped on it, and whether one is above it. Text that is dropped goes where it always goes. */
export function useDrop(isOn: boolean, onFiles: (files: File[]) => void) {
  const [isOver, setOver] = useState(false)
  const hasFiles = ({ dataTransfer }: DragEvent) => isOn && dataTransfer.types.includes('Files')
  return {
    isOver: isOn && isOver,
    handlers: {
      onDragOver: (event: DragEvent) => {
        if (!hasFiles(event)) return
        event.preventDefault()
        setOver(true)
      },
      onDragLeave: (event: DragEvent) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false)
      },
      onDrop: (event: DragEvent) => {
        setOver(false)
        if (!hasFiles(event)) return
        event.preventDefault()
        onFiles([...event.dataTransfer.files])
      },
    },
  }
}

/** One event of a stream, as it was written. */
export type RawEvent = { name: string; data: string }

/**
 * Reads `text/event-stream` in the pieces in which it arrives, which may end anywhere. Comments are no events; that something
 * came at all is for the caller to note.
 */
export function openEventReader(): (piece: string) => RawEvent[] {
  let rest = ''
  let name = ''
  let data: string[] = []
  return (piece) => {
    const found: RawEvent[] = []
    const lines = (rest + piece).split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) found.push({ name: name || 'message', data: data.join('\n') })
        name = ''
        data = []
        continue
      }
      const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
      if (field === 'event') name = value
      if (field === 'data') data.push(value)
    }
    return found
  }
}

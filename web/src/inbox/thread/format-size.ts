/** Formats a size, 412 KB or 1.4 MB: in steps of 1,000, as the systems of the people who download it say. */
export function formatSize(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  if (bytes < 1_000_000) return `${Math.round(bytes / 1_000)} KB`
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}

/** A content type in a word: "PDF", "ZIP", "Text"; the type itself if it is not a usual one. */
export function formatContentType(contentType: string): string {
  const [type = ''] = contentType.toLowerCase().split(';')
  const [kind, name = ''] = type.trim().split('/')
  if (known[type.trim()]) return known[type.trim()] ?? type
  if (kind === 'image' || kind === 'audio' || kind === 'video') return name.replace(/^x-/, '').toUpperCase()
  return type.trim()
}

const known: Record<string, string | undefined> = {
  'application/pdf': 'PDF',
  'application/zip': 'ZIP',
  'text/plain': 'Text',
  'text/csv': 'CSV',
  'text/html': 'HTML',
  'image/svg+xml': 'SVG',
  'application/json': 'JSON',
  'application/octet-stream': 'File',
  'application/msword': 'Word',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'Word',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'Excel',
}

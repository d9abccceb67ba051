import { quote } from '../../../ui/shell-quote.ts'

/** The post as a command for a terminal. The body is sent byte by byte as the service does. */
export function curlOf(url: string, headers: readonly { name: string; value: string }[], payload: string): string {
  const lines = headers.map(({ name, value }) => `  -H ${quote(`${name}: ${value}`)} \\`)
  return [`curl -X POST ${quote(url)} \\`, ...lines, `  --data-raw ${quote(payload)}`].join('\n')
}

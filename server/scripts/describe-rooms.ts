import { groups } from './rooms.ts'

const [begin, end] = ['<!-- order of imports: generated -->', '<!-- end -->']

/** The text of ARCHITECTURE.md with the order of imports between the two marks. */
export function describeRooms(text: string): string {
  const [before, rest] = text.split(begin)
  const after = rest?.slice(rest.indexOf(end))
  if (before === undefined || after === undefined) throw new Error(`ARCHITECTURE.md has no ${begin}`)
  const width = Math.max(...groups.map(({ name }) => name.length)) + 2
  const lines = groups.map(
    ({ name, rooms }) => `${name.padEnd(width)}${rooms.map((line) => line.join(' ')).join(' · ')}`,
  )
  return `${before}${begin}\n\n\`\`\`\n${lines.map((line) => line.trimEnd()).join('\n')}\n\`\`\`\n\n${after}`
}

/** A command with its quoted texts and addresses in colour. */
export function ShellCode({ text }: { text: string }) {
  return text.split(/('(?:[^']|'\\'')*'|https?:\/\/\S+)/).map((part, n) => {
    const tone = part.startsWith("'") ? 'code-text' : /^https?:/.test(part) ? 'code-name' : undefined
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text, in its order
      <span key={n} className={tone}>
        {part}
      </span>
    )
  })
}

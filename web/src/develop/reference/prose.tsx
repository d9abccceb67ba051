/** A sentence of the description of the API, in which backticks mark what a machine reads. */
export function Prose({ text }: { text: string }) {
  return text.split('`').map((part, n) =>
    n % 2 === 0 ? (
      part
    ) : (
      <span className="mono" key={part}>
        {part}
      </span>
    ),
  )
}

/** The payload of a post, one object of texts, in lines and colours. */
export function PrettyJson({ text }: { text: string }) {
  const entries = Object.entries(JSON.parse(text) as Record<string, unknown>)
  return (
    <>
      {'{\n'}
      {entries.map(([name, value], n) => (
        <span key={name}>
          {'  '}
          <span className="code-name">{JSON.stringify(name)}</span>:{' '}
          <span className="code-text">{JSON.stringify(value)}</span>
          {n < entries.length - 1 ? ',\n' : '\n'}
        </span>
      ))}
      {'}'}
    </>
  )
}

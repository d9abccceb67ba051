/** For parts that many installations never need: what `load` imports and opens is there from the first call on. */
export function loadOnce<Part>(load: () => Promise<Part>): () => Promise<Part> {
  let loading: Promise<Part> | undefined
  return () => {
    loading ??= load()
    return loading
  }
}

/**
 * Cuts words that are longer than any real one, between characters as a reader sees them. Without a place to break,
 * browsers shape the rest of such a word again for each of its lines: 20,000 letters took three seconds, in pieces a tenth.
 */
export function splitLongWords(text: string): string[] {
  const pieces: string[] = []
  let end = 0
  for (const { 0: piece, index } of text.matchAll(/\S{500}(?:\u200d|(?<=\u200d)\S|\p{M}|\p{Emoji_Modifier})*/gu)) {
    pieces.push(text.slice(end, index + piece.length))
    end = index + piece.length
  }
  return [...pieces, text.slice(end)]
}

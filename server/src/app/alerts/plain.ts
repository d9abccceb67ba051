/**
 * What somebody else wrote, such as a contact's name, so that no chat tool makes a mention, a link, a picture or marked text
 * of it: only letters, digits, spaces and a little punctuation are left. A full stop or a colon stays before a space only, or
 * between digits: `evil.example` would become a link.
 */
export function plain(text: string, mostCharacters = 60): string {
  const clean = text
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N} '’,.:;!?()%+-]/gu, ' ')
    .replace(/(?<!\d)[.:!?](?=\S)|[.:!?](?=[^\s\d])/gu, ' ')
    .replace(/\p{M}{4,}/gu, '') // marks piled up cover the lines around
    .replace(/ +/g, ' ')
    .trim()
  const characters = [...clean]
  return characters.length > mostCharacters ? `${characters.slice(0, mostCharacters).join('').trim()}…` : clean
}

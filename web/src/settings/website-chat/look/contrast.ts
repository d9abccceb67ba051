import { inkOn, whiteOn } from '../../../../chat/page/ink.ts'

export const isColour = (text: string): boolean => /^#[0-9a-f]{6}$/i.test(text)

/** What the chat writes with on a colour, and how well that reads. */
export function textOn(colour: string): { isWhite: boolean; ratio: number } {
  const isWhite = inkOn(colour) === '#FFFFFF'
  return { isWhite, ratio: isWhite ? whiteOn(colour) : 21 / whiteOn(colour) }
}

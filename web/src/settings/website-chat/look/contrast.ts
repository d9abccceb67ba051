export const isColour = (text: string): boolean => /^#[0-9a-f]{6}$/i.test(text)

/** What is written on a colour: white where it reads 4.5 to 1, else black, which then reads better than that. */
export function textOn(colour: string): { isWhite: boolean; ratio: number } {
  const light = lightness(colour)
  const [white, black] = [1.05 / (light + 0.05), (light + 0.05) / 0.05]
  return white >= 4.5 ? { isWhite: true, ratio: white } : { isWhite: false, ratio: black }
}

/** Relative luminance, 0 to 1. */
function lightness(colour: string): number {
  const weights = [0.2126, 0.7152, 0.0722]
  return weights.reduce((sum, weight, i) => {
    const part = Number.parseInt(colour.slice(1 + 2 * i, 3 + 2 * i), 16) / 255
    return sum + weight * (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
  }, 0)
}

/** White if that reads 4.5 : 1 on the colour, else black: one of the two always does. */
export function inkOn(colour: string): '#FFFFFF' | '#000000' {
  return whiteOn(colour) >= 4.5 ? '#FFFFFF' : '#000000'
}

/** How well white reads on a colour, 1 to 21; black reads 21 divided by that. */
export function whiteOn(colour: string): number {
  return 1.05 / (luminance(colour) + 0.05)
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

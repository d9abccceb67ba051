/** Formats that a browser shows and that have no script. */
export function isShownAsPicture(type: string): boolean {
  return /^image\/(png|jpeg|gif|webp|avif)$/.test(type)
}

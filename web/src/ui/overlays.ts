/**
 * Where overlays are drawn: inside the page's main landmark, so that whoever moves by landmarks finds them. The sign-in
 * screen has one too.
 */
export function overlayRoot(): HTMLElement {
  return document.getElementById('main') ?? document.body
}

/** Whether overlays are sheets at the bottom edge. */
export function isNarrow(): boolean {
  return matchMedia('(width < 640px)').matches
}

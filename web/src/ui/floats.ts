/**
 * Where floats are drawn: inside the page's main landmark, so that whoever moves by landmarks finds them. The sign-in
 * screen has one too.
 */
export function floatRoot(): HTMLElement {
  return document.getElementById('main') ?? document.body
}

/** Whether floats are sheets at the bottom edge. */
export function isNarrow(): boolean {
  return matchMedia('(width < 640px)').matches
}

import { type RefObject, useLayoutEffect } from 'react'

type OverlayStore = {
  setAnchorElement: (element: HTMLElement | null) => void
  setDisclosureElement: (element: HTMLElement | null) => void
  getState: () => { contentElement: HTMLElement | null }
}

/** Ties an overlay to the button that opened it: it is placed there, and gives the focus back to it. */
export function useAnchored(store: OverlayStore, anchor: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const button = anchor.current
    store.setAnchorElement(button)
    store.setDisclosureElement(button)
    // Before it leaves the document, with it the focus; not when what was chosen has taken the focus elsewhere.
    return () => {
      const at = document.activeElement
      if (!at || at === document.body || store.getState().contentElement?.contains(at)) button?.focus()
    }
  }, [store, anchor])
}

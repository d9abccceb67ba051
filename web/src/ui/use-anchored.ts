import { type RefObject, useLayoutEffect } from 'react'

type Anchored = {
  setAnchorElement: (element: HTMLElement | null) => void
  setDisclosureElement: (element: HTMLElement | null) => void
}

/** Ties a float to the button that opened it: it is placed there, and gives the focus back to it. */
export function useAnchored(store: Anchored, anchor: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    store.setAnchorElement(anchor.current)
    store.setDisclosureElement(anchor.current)
  }, [store, anchor])
}

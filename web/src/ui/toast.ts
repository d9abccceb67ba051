import type { ComponentType } from 'react'
import { createStore } from '../data/store.ts'

/** Something that happened, with a way back where there is one. */
export type Toast = {
  id: number
  text: string
  icon?: ComponentType<{ className?: string }>
  /** `label` is "Undo" unless another is given. `Z` does the same while it is shown. */
  undo?: { label?: string; run: () => void }
}

export const toasts = createStore<readonly Toast[]>([])

let lastId = 0

/** Shows a toast for six seconds, longer while the pointer or the focus is on it. */
export function showToast(toast: Omit<Toast, 'id'>): void {
  lastId += 1
  toasts.set([...toasts.get().slice(-2), { ...toast, id: lastId }])
}

export function removeToast(id: number): void {
  toasts.set(toasts.get().filter((toast) => toast.id !== id))
}

import { panelEvent } from './page/load-panel.ts'
import type { Panel, Shell, StartPanel } from './shell.ts'
import { openNetwork } from './source/network.ts'
import { startPanel } from './talk/start-panel.ts'
import type { Words } from './words/words.ts'

/** Hands the panel over to the loader, whose script element has fetched this file. */
export function handOver(words: Words): void {
  const detail: StartPanel = (shell: Shell): Panel => startPanel(shell, { words, source: openNetwork(shell) })
  document.currentScript?.dispatchEvent(new CustomEvent(panelEvent, { detail }))
}

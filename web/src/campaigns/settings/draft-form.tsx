import './settings.css'
import type { ReactNode } from 'react'
import { SaveBar } from './save-bar.tsx'
import type { SettingsDraft } from './use-draft.ts'

/** A tab of settings, saved together. */
export function DraftForm({ draft, children }: { draft: SettingsDraft; children: ReactNode }) {
  return (
    <form
      className="page narrow settings-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        draft.save()
      }}
    >
      {children}
      <SaveBar draft={draft} />
    </form>
  )
}

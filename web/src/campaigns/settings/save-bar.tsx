import { Button } from '../../ui/button.tsx'
import { Failed } from '../../ui/failed.tsx'
import { Conflict } from '../conflict.tsx'
import { campaignWords as words } from '../words.ts'
import type { SettingsDraft } from './use-draft.ts'

/** At the bottom of the form, once something was changed. */
export function SaveBar({ draft }: { draft: SettingsDraft }) {
  if (!draft.isDirty) return null
  return (
    <div className="save-bar">
      {draft.conflict && <Conflict {...draft.conflict} />}
      <Failed error={draft.error} />
      {!draft.conflict && (
        <div className="row">
          <Button look="primary" type="submit" busy={draft.isSaving && words.saving}>
            {words.save}
          </Button>
          <Button look="quiet" onClick={draft.drop}>
            {words.cancel}
          </Button>
        </div>
      )}
    </div>
  )
}

import { allowedBy } from '@patchbay/contract/model-connections.ts'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import { Note } from '../../ui/note.tsx'
import { aiWords as words } from './words.ts'

/** Why the model was not called, or gave no answer; and the setting with which the operator can allow it. */
export function RefusedNote({ sentence }: { sentence: string }) {
  const [what = '', setting] = sentence.split(allowedBy)
  return (
    <Note icon={TriangleAlert} tone="fail" role="alert">
      <div className="connection-note">
        <b className="strong">{what}</b>
        {setting && (
          <>
            <br />
            <span className="muted">{words.allowIt}</span> <span className="mono">{setting}</span>
          </>
        )}
      </div>
    </Note>
  )
}

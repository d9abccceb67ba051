import type { ReactNode } from 'react'

/** Fields that belong together; those who may not change them can read them. */
export function Group({ mayChange, children }: { mayChange: boolean; children: ReactNode }) {
  return (
    <fieldset className="chat-set-fieldset chat-set-group" disabled={!mayChange}>
      {children}
    </fieldset>
  )
}

import './sign-in.css'
import type { ReactNode } from 'react'
import { Mark } from '../shell/mark.tsx'
import { shellWords } from '../shell/words.ts'
import { useTitle } from '../ui/use-title.ts'
import { Rack } from './rack.tsx'

/** The frame around the forms of whoever is not signed in yet. */
export function SignInFrame({ title, children }: { title: string; children: ReactNode }) {
  useTitle(title)
  return (
    <main className="sign-in" id="main">
      <div className="sign-in-left">
        <div className="sign-in-brand">
          <Mark size={24} />
          {shellWords.app}
        </div>
        {children}
      </div>
      <Rack />
    </main>
  )
}

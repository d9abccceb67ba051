import './code.css'
import type { ReactNode } from 'react'
import { classes } from './classes.ts'
import { CopyButton } from './copy-button.tsx'

/** Something for a terminal or a program, with a button that copies it whole. `children` may colour parts of it. */
export function CodeBlock({
  text,
  label,
  wraps = false,
  children,
}: {
  text: string
  /** Names the button, such as "Copy command". */
  label: string
  wraps?: boolean
  children?: ReactNode
}) {
  return (
    <div className="code-box">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, which the keyboard must be able to do */}
      <pre className={classes('code', wraps && 'wrap-lines')} tabIndex={0}>
        {children ?? text}
      </pre>
      <CopyButton text={text} label={label} />
    </div>
  )
}

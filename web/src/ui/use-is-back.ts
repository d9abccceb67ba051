import { useEffect, useRef, useState } from 'react'

/** Returns true from the moment on when something that did not work works again; not where it worked from the start. */
export function useIsBack(works: boolean): boolean {
  const before = useRef(works)
  const [isBack, setBack] = useState(false)
  useEffect(() => {
    if (works && !before.current) setBack(true)
    if (!works) setBack(false)
    before.current = works
  }, [works])
  return isBack
}

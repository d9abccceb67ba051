import { useEffect, useRef, useState } from 'react'

/** Whether the value became true while it was watched; false if it was true from the start. */
export function useTurnedTrue(value: boolean): boolean {
  const before = useRef(value)
  const [hasTurned, setTurned] = useState(false)
  useEffect(() => {
    if (value && !before.current) setTurned(true)
    before.current = value
  }, [value])
  return hasTurned
}

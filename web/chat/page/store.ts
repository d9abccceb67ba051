/** One entry of the browser's storage, which may throw at any touch. What somebody has cleared is not written again. */
export function openStore(area: () => Storage, id: string) {
  const name = `patchbay.${id}`
  let wasThere = false
  let isFailing = false
  const attempt = <T>(act: () => T): T | undefined => {
    try {
      return act()
    } catch {
      isFailing = true
      return undefined
    }
  }
  return {
    isFailing: () => isFailing,
    read: <Value>(): Value | null => {
      const text = attempt(() => area().getItem(name))
      if (typeof text !== 'string') return null
      wasThere = true
      return parsedValue(text)
    },
    write: (value: object | null): void => {
      if (value === null) {
        wasThere = false
        isFailing = false
        attempt(() => area().removeItem(name))
        return
      }
      if (wasThere && attempt(() => area().getItem(name)) === null) isFailing = true
      if (isFailing) return
      attempt(() => area().setItem(name, JSON.stringify(value)))
      wasThere = !isFailing
    },
  }
}

/** Any script of the page can write there. */
function parsedValue<Value>(text: string): Value | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' ? (value as Value) : null
  } catch {
    return null
  }
}

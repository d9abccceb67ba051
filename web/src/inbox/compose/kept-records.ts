/**
 * Records that outlive the page: each under a key of its own in the browser's storage, so that two tabs never overwrite
 * each other's. Where storage is blocked or full they last until the page is left.
 */
export type KeptRecords = {
  /** Returns the records that are stored now, by the part of the key after the prefix. */
  readAll: () => Map<string, string>
  write: (name: string, value: string) => void
  remove: (name: string) => void
  /** Calls the listener when another tab changes a record; null: it was removed. */
  onChange: (listener: (name: string, value: string | null) => void) => void
}

export type StorageEvents = {
  addEventListener: (
    type: 'storage',
    listener: (event: { key: string | null; newValue: string | null }) => void,
  ) => void
}

export function openKeptRecords(prefix: string, storage: Storage | undefined, events?: StorageEvents): KeptRecords {
  return {
    readAll: () => {
      const keys = attempt(() => Array.from({ length: storage?.length ?? 0 }, (_, index) => storage?.key(index))) ?? []
      const own = keys.filter((key): key is string => key?.startsWith(prefix) === true)
      return new Map(own.map((key) => [key.slice(prefix.length), attempt(() => storage?.getItem(key)) ?? '']))
    },
    write: (name, value) => void attempt(() => storage?.setItem(prefix + name, value)),
    remove: (name) => void attempt(() => storage?.removeItem(prefix + name)),
    onChange: (listener) => {
      events?.addEventListener('storage', ({ key, newValue }) => {
        if (key?.startsWith(prefix)) listener(key.slice(prefix.length), newValue)
      })
    },
  }
}

/** The browser's storage; reading the name alone throws where it is blocked. */
export function browserStorage(): Storage | undefined {
  return attempt(() => localStorage)
}

function attempt<Value>(read: () => Value): Value | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

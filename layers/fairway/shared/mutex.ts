/** Runs work of one name after work of the same name has ended, however that ended; gives what the work gives. */
export type Mutex = <T>(name: string, work: () => Promise<T>) => Promise<T>

/** A mutex in which nothing runs yet. */
export function createMutex(): Mutex {
  const tails = new Map<string, Promise<unknown>>()
  return (name, work) => {
    const result = (tails.get(name) ?? Promise.resolve()).then(work)
    tails.set(
      name,
      result.catch(() => undefined),
    )
    return result
  }
}

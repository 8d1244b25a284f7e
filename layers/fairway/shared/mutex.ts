/** Runs work after earlier work of the same name has ended, even if that failed; returns the result of the work. */
export type Mutex = <T>(name: string, work: () => Promise<T>) => Promise<T>

/** Creates an idle mutex. */
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

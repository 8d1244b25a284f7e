/** Runs works of the same name one after the other. */
export type Lanes = <T>(name: string, work: () => Promise<T>) => Promise<T>

/** New lanes, all empty. */
export function createLanes(): Lanes {
  const tails = new Map<string, Promise<unknown>>()
  return (name, work) => {
    const before = tails.get(name) ?? Promise.resolve()
    const result = before.then(work, work)
    tails.set(
      name,
      result.catch(() => undefined),
    )
    return result
  }
}

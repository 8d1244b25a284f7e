/** Runs at most `atOnce` tasks at a time; the others wait in the order they came. */
export function createLimiter(atOnce: number): <T>(task: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let running = 0
  return async task => {
    if (running >= atOnce) await new Promise<void>(resolve => waiting.push(resolve))
    else running++
    try {
      return await task()
    } finally {
      const next = waiting.shift()
      // The place is handed over, so a newcomer cannot slip in between.
      if (next) next()
      else running--
    }
  }
}

/** The result of the work, or a TimeoutError after `limitInMs`; the work itself is not stopped. */
export async function withDeadline<T>(work: Promise<T>, limitInMs: number): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new DOMException('the database took too long', 'TimeoutError')), limitInMs)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}

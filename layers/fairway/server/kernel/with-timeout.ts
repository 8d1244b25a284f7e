import { AppError } from './http/app-error'

/** Waits for work, for so many seconds; then the clock is aborted and `timed-out` thrown. What goes on without us may still fail later, and has no one to tell. */
export async function withTimeout<T>(seconds: number, clock: AbortController, work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      const error = new AppError('timed-out')
      clock.abort(error)
      reject(error)
    }, seconds * 1000)
  })
  try {
    return await Promise.race([work(), late])
  } finally {
    clearTimeout(timer)
  }
}

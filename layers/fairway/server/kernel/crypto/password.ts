import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'
import { AppError } from '../http/app-error'
import { isImported, verifyImported } from './foreign-hash'

const argon2Async = promisify(argon2)
const STRONG = { memory: 19_456, passes: 2 }
/** The minimum of the algorithm, for tests, which would otherwise spend their time on hashing. */
const QUICK = { memory: 8, passes: 1 }
const TAG_BYTES = 32

/**
 * Returns how many hashes run at once on a number of cores. One core stays free for requests, and at least one of the four
 * threads of Node.js's pool for files and names. More would speed up sign-ins and slow down all other requests.
 */
export const hashesAtOnce = (cores: number): number => Math.min(Math.max(cores - 1, 1), 3)

/** How many hashes may wait for each that runs; the last of them waits for about five seconds. */
export const WAITING_FOR_EACH = 100
const BUSY_FOR_IN_SECONDS = 5
/** Hashes of other systems cost up to a second each: how many run at once, and how many may wait. */
const IMPORTED_AT_ONCE = 2
export const IMPORTED_WAITING = 20

export interface PasswordHasher {
  /** Throws `sign-in-busy` when a hash would wait for a long time; call it before an attempt is counted. */
  checkRoom(): void
  /** Returns the argon2id hash in PHC text form, with a fresh salt; throws `sign-in-busy`. */
  hash(password: string): Promise<string>
  /**
   * Returns whether the password matches the hash, which may be an imported one; an unreadable hash never matches. Throws
   * `sign-in-busy`.
   */
  verify(hash: string, password: string): Promise<boolean>
}

/** Hashes off the event loop, with a limit that leaves room for other requests; passwords are normalized to Unicode NFKC. */
export function createPasswordHasher(
  hashing: 'strong' | 'quick' = 'strong',
  atOnce = hashesAtOnce(availableParallelism()),
): PasswordHasher {
  const limiter = createLimiter(atOnce)
  const importedLimiter = createLimiter(Math.min(atOnce, IMPORTED_AT_ONCE))
  const checkWaiting = ({ waiting }: Limiter, most: number) => {
    if (waiting() < most) return
    throw new AppError('sign-in-busy', { headers: { 'retry-after': String(BUSY_FOR_IN_SECONDS) } })
  }
  const checkRoom = () => checkWaiting(limiter, atOnce * WAITING_FOR_EACH)
  const cost = hashing === 'quick' ? QUICK : STRONG
  const tagOf = (password: string, salt: Buffer, memory: number, passes: number) => {
    checkRoom()
    const message = password.normalize('NFKC')
    return limiter.run(() =>
      argon2Async('argon2id', { message, nonce: salt, memory, passes, parallelism: 1, tagLength: TAG_BYTES }),
    )
  }
  return {
    checkRoom,
    async hash(password) {
      const salt = randomBytes(16)
      const tag = await tagOf(password, salt, cost.memory, cost.passes)
      return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=1$${unpadded(salt)}$${unpadded(tag)}`
    },
    async verify(hash, password) {
      if (isImported(hash)) {
        checkWaiting(importedLimiter, IMPORTED_WAITING)
        // It waits in its own queue first, so that hashes that cost more never fill the queue of the others.
        return importedLimiter.run(() => limiter.run(() => verifyImported(hash, password)))
      }
      const parts = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=1\$([\w+/]+)\$([\w+/]+)$/.exec(hash)
      if (!parts) return false
      const [, memory, passes, salt, tag] = parts
      const expected = Buffer.from(tag!, 'base64')
      const actual = await tagOf(password, Buffer.from(salt!, 'base64'), Number(memory), Number(passes))
      return expected.length === actual.length && timingSafeEqual(expected, actual)
    },
  }
}

const unpadded = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')

interface Limiter {
  run<T>(task: () => Promise<T>): Promise<T>
  /** How many tasks wait for their turn. */
  waiting(): number
}

/** Runs at most `atOnce` tasks at a time; the others wait in the order they came. */
export function createLimiter(atOnce: number): Limiter {
  const waiting: (() => void)[] = []
  let running = 0
  async function run<T>(task: () => Promise<T>): Promise<T> {
    if (running >= atOnce) await new Promise<void>(resolve => waiting.push(resolve))
    else running++
    try {
      return await task()
    } finally {
      const next = waiting.shift()
      // The place is handed over, so that a newcomer cannot take it in between.
      if (next) next()
      else running--
    }
  }

  return { run, waiting: () => waiting.length }
}

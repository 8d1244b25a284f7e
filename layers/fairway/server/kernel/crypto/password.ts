import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const argon2Async = promisify(argon2)
const STRONG = { memory: 19_456, passes: 2 }
/** The least that the algorithm allows: for tests, whose time would go into hashing otherwise. */
const QUICK = { memory: 8, passes: 1 }
const TAG_BYTES = 32

export interface PasswordHasher {
  /** The argon2id hash in PHC text form, with a fresh salt. */
  hash(password: string): Promise<string>
  /** Whether the password is the one behind the hash; an unreadable hash is never matched. */
  verify(hash: string, password: string): Promise<boolean>
}

/** Hashes off the event loop, four at a time at most; passwords are taken in Unicode form NFKC. */
export function createPasswordHasher(hashing: 'strong' | 'quick' = 'strong'): PasswordHasher {
  const limit = createLimiter(4)
  const cost = hashing === 'quick' ? QUICK : STRONG
  const tagOf = (password: string, salt: Buffer, memory: number, passes: number) =>
    limit(() =>
      argon2Async('argon2id', {
        message: password.normalize('NFKC'),
        nonce: salt,
        memory,
        passes,
        parallelism: 1,
        tagLength: TAG_BYTES,
      }),
    )
  return {
    async hash(password) {
      const salt = randomBytes(16)
      const tag = await tagOf(password, salt, cost.memory, cost.passes)
      return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=1$${unpadded(salt)}$${unpadded(tag)}`
    },
    async verify(hash, password) {
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

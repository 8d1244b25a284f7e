import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'

/** Wrong verifiers after which a ceremony ends. */
const MOST_WRONG_VERIFIERS = 5

const hash = z.string().regex(/^[\w-]{43}$/)
const time = z.int().positive()

const rowSchema = z
  .object({
    id: z.string(),
    bindingHash: hash,
    codeChallenge: hash,
    nonceHash: hash,
    userId: z.string().min(1).nullable(),
    createdAt: time,
    confirmedAt: time.nullable(),
    exchangedAt: time.nullable(),
    expiresAt: time,
    wrongVerifiers: z.int().nonnegative(),
  })
  .refine(row => (row.userId === null) === (row.confirmedAt === null), 'is confirmed by nobody, or not at all')
  .refine(row => row.exchangedAt === null || row.confirmedAt !== null, 'was exchanged before it was confirmed')

/** A sign-in of a desktop application; times in milliseconds. */
export type Ceremony = z.output<typeof rowSchema>

const FIND = `
  select id, binding_hash as bindingHash, code_challenge as codeChallenge, nonce_hash as nonceHash, user_id as userId,
    created_at as createdAt, confirmed_at as confirmedAt, exchanged_at as exchangedAt, expires_at as expiresAt,
    wrong_verifiers as wrongVerifiers
  from desktop_ceremonies where id = ?`

/** The ceremony of this id or null; throws `internal` for a row that is not whole, which stays as it is for whoever looks into it. */
export async function findCeremony(app: App, id: string): Promise<Ceremony | null> {
  const find = app.memo('find-desktop-ceremony', () => app.db.prepareRead<Record<string, unknown>>(FIND))
  const [row] = await find([id])
  if (!row) return null
  const parsed = rowSchema.safeParse(row)
  if (parsed.success) return parsed.data
  const faults = parsed.error.issues.map(issue => `${issue.path.join('.') || 'the row'}: ${issue.message}`)
  throw new AppError('internal', { cause: `the desktop ceremony ${id} is not whole: ${faults.join('; ')}` })
}

/** Whether a ceremony opens nothing any more: too old, exchanged, or tried with too many wrong verifiers. */
export const hasEnded = (app: App, { expiresAt, exchangedAt, wrongVerifiers }: Ceremony): boolean =>
  expiresAt <= app.now().getTime() || exchangedAt !== null || wrongVerifiers >= MOST_WRONG_VERIFIERS

/** The end of each statement that moves a ceremony on: nothing moves once it has ended. The argument is the time now. */
export const stillOpenSql = `expires_at > ? and exchanged_at is null and wrong_verifiers < ${MOST_WRONG_VERIFIERS}`

import { z } from 'zod'
import { ensurePerson, type VouchedPerson } from '#fairway/server/domains/people'
import {
  completeOrgContext,
  type OrgContextRow,
  orgContextColumns,
  orgContextJoin,
} from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import { DEV_EMAIL } from '#fairway/server/kernel/config/config'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { SessionSource } from '../session-source'

const DAY_IN_MS = 24 * 60 * 60 * 1000

const text = z.string().regex(/^[^\p{Cc}]*$/u, 'has control characters')

/** What `getSession` of the application may answer; members that are not named here are ignored. */
const answerSchema = z.object({
  email: z
    .string()
    .transform(email => email.normalize('NFKC').trim().toLowerCase())
    .pipe(z.email().max(254)),
  emailVerified: z.boolean().default(true),
  name: text.trim().max(200).nullish(),
  image: text.max(2048).nullish(),
  provider: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,31}$/)
    .default('custom'),
  expiresAt: z.union([z.date(), z.iso.datetime({ offset: true }).transform(value => new Date(value))]).optional(),
})

type Answer = z.output<typeof answerSchema>

interface PersonRow extends OrgContextRow {
  userId: string
  email: string
  emailVerified: number
  name: string
  image: string | null
  kind: string
  isClaimOpen: number
}

const FIND_PERSON = `
  select u.id as userId, u.email as email, u.email_verified as emailVerified, u.name as name, u.image as image, u.kind as kind,
    u.claim_since is not null as isClaimOpen,
    ${orgContextColumns}
  from users u ${orgContextJoin} where u.email = ?`

/** The person that the application's own `getSession` names; what it answers is checked, and a failure of it opens nothing. */
export const custom: SessionSource = {
  name: 'custom',
  isUsed: config => config.customSignIn !== null,
  async find(event, app) {
    const answer = parseAnswer(await app.config.customSignIn?.getSession(event))
    const now = app.now()
    if (!answer || (answer.expiresAt && answer.expiresAt <= now)) return null
    const row = await findPerson(app, answer)
    if (isRefusedLocalIdentity(app, row)) return null
    return {
      userId: row.userId,
      email: row.email,
      emailVerified: row.emailVerified === 1,
      name: row.name,
      image: row.image,
      ...(await completeOrgContext(app, { ...row, provider: answer.provider }, row)),
      provider: answer.provider,
      createdAt: now.toISOString(),
      expiresAt: (answer.expiresAt ?? new Date(now.getTime() + DAY_IN_MS)).toISOString(),
      ...(row.isClaimOpen === 1 && answer.emailVerified ? { mayClaim: true } : {}),
    }
  },
}

// The values stay out of the log: they may be somebody's.
function parseAnswer(value: unknown): Answer | null {
  if (value === null) return null
  const parsed = answerSchema.safeParse(value)
  if (parsed.success) return parsed.data
  const faults = parsed.error.issues.map(issue => `${issue.path.join('.') || 'the answer'}: ${issue.message}`)
  throw new AppError('internal', {
    cause: `getSession of fw.config.ts answered what is not a session: ${faults.join('; ')}`,
  })
}

async function findPerson(app: App, answer: Answer): Promise<PersonRow> {
  const find = app.memo('find-custom-person', () => app.db.prepareRead<PersonRow>(FIND_PERSON))
  const person = {
    email: answer.email,
    emailVerified: answer.emailVerified,
    name: answer.name || null,
    image: answer.image ?? null,
  }
  const [known] = await find([person.email])
  if (known && isCurrent(known, person)) return known
  await ensurePerson(app, person)
  const [row] = await find([person.email])
  if (!row) throw new Error('the account that was just made is not there')
  return row
}

const isCurrent = (row: PersonRow, { emailVerified, name, image }: VouchedPerson): boolean =>
  (row.emailVerified === 1 || !emailVerified) &&
  (name === null || row.name === name) &&
  (image === null || row.image === image)

const isRefusedLocalIdentity = ({ config }: App, { kind, email }: PersonRow): boolean =>
  config.environment === 'production' && (kind === 'dev' || email === DEV_EMAIL)

// The declaration of a job and the context of its code.
import { z } from 'zod'
import type { OrgRole } from '#fairway/shared/roles'
import type { ActionTypes } from '#fw/action-types'
import type { MailTypes } from '#fw/mail-types'
import type { Session } from '#fairway/shared/schemas/session'
import type { App } from '../app-context'
import { isDeclared, mark, parseDeclaration } from '../declaration'
import type { Orm } from '../database/client'
import type { Log } from '../events/log'
import type { MailDataOf, MailToSend } from '../mail/define-mail'
import { type DeclaredSchedule, scheduleSchema, type ScheduleOptions } from './declared-schedule'

/** The prefix of the platform's own jobs. */
export const PLATFORM_JOB = 'fw-'

/** The context that the code of a job receives. */
export interface JobContext {
  /** The same for every attempt: an idempotency key for other services. */
  id: string
  /** The number of this attempt, from 1. */
  attempt: number
  /** Whether the job fails permanently if this attempt fails. */
  isLast: boolean
  /** The organization that it was queued in, or that its schedule queued it for; null without one. */
  orgId: string | null
  /** That organization; null without one, and after it was deleted. */
  organization: { id: string; name: string } | null
  /** The person who queued it, or the service account; null for schedules. `as` takes both. */
  userId: string | null
  db: Orm
  log: Log
  /** Aborted when the timeout expires, the job is cancelled, the server stops or another process has taken the job. */
  signal: AbortSignal
  now(): Date
  /** Shows the progress: `progress(30, 100)`. It is written once every half second, and at the end. */
  progress(done: number, total?: number): void
  /**
   * Acts as a person, by their address or id, in the organization of the job unless another one is given. Uses their permissions,
   * and the audit log records it. Throws `unknown-person` for a person who does not exist, is suspended or has left.
   */
  as(person: { email: string } | { userId: string }, options?: { orgId?: string | null }): Promise<ActingPerson>
  /**
   * Returns all members of the organization, longest-standing first; with `roles` only those with one of these roles. Empty
   * without an organization.
   */
  members(filter?: { roles?: readonly OrgRole[] }): Promise<JobMember[]>
  /** Queues a mail like `sendMail`, outside a transaction. */
  mail<Name extends keyof MailTypes & string>(
    name: Name,
    mail: MailToSend<MailDataOf<MailTypes[Name]>>,
  ): Promise<'queued' | 'switched-off'>
}

/** A member of a job's organization. */
export interface JobMember {
  userId: string
  name: string
  email: string
  role: OrgRole
  /** The address of the person's picture; null without one. */
  image: string | null
}

/** The actions of a job on behalf of a person. */
export interface ActingPerson {
  session: Session
  /** Runs an action like a page does: guard, input, run, output, audit. Throws the action's errors. */
  run<Name extends keyof ActionTypes & string>(
    name: Name,
    input: ActionTypes[Name]['input'],
  ): Promise<ActionTypes[Name]['output']>
  /** Runs code that requires the session, such as `accessibleTo` and `sendMail`. */
  within<T>(work: () => T): T
}

/** The parts of a job's context that come from outside the queue. */
export type JobExtras = Pick<JobContext, 'as' | 'mail' | 'members'>

/** What the queue needs from the domains above it. */
export interface JobSurroundings {
  /** The SQL of a query that returns the `id` and `name` of each organization that is in use. */
  organizations: string
  makeExtras(job: Pick<JobContext, 'id' | 'orgId' | 'userId' | 'signal'> & { name: string }): JobExtras
}

const missing = () => Promise.reject(new Error('declareWork was not called'))

const surroundings = (app: App) =>
  app.memo('job-surroundings', (): { of: JobSurroundings } => ({
    of: {
      organizations: 'select null as id, null as name where 0',
      makeExtras: () => ({ as: missing, mail: missing, members: missing }),
    },
  }))

/** Sets what the queue needs from the domains above it. */
export function setJobSurroundings(app: App, of: JobSurroundings): void {
  surroundings(app).of = of
}
export const surroundingsOf = (app: App): JobSurroundings => surroundings(app).of

interface JobOptions<Input extends z.ZodObject> {
  /** One sentence that describes the job. */
  description: string
  /** The input schema, with JSON values. An empty object when not given. */
  input?: Input
  /**
   * The schedule for automatic runs: a cron expression of five or six fields. Its input must be valid when it is empty. With
   * `each` it runs once for each organization, or for each row of a table, whose id is the input `rowId`.
   */
  schedule?: ScheduleOptions
  /** How often it is tried again after a failure, at most 50; 5 when not given. */
  retries?: number
  /** The time limit in seconds, at most a day; 300 when not given. Then its `signal` is aborted and the attempt has failed. */
  timeout?: number
  /** How many run at a time, on all servers together; `per` returns the key that this number applies to. */
  concurrency?: number | { most: number; per?: (input: z.output<Input>) => string }
  /**
   * Whether it mostly waits for other servers. Such a job makes room for the next one after a second, so that silent servers do
   * not delay other jobs. Its `concurrency` limits how many wait.
   */
  waits?: boolean
  /**
   * Does the work. It may run more than once, because a process can die after the work and before the result is stored: use `id`
   * as a key where that matters. Its return value is kept as JSON for those who follow the job. An `AppError` with a status below
   * 500 is final; after any other error the job is tried again, with growing pauses.
   */
  run(input: z.output<Input>, context: JobContext): unknown
}

/** A job with its parsed declaration. */
export interface Job {
  description: string
  input: z.ZodObject
  schedule?: DeclaredSchedule
  retries: number
  timeout: number
  concurrency?: { most: number; per?: (input: never) => string }
  waits: boolean
  /** Only set for jobs of the platform. */
  platform?: PlatformJobRule
  run(input: never, context: JobContext): unknown
}

/** How a job of the platform differs from those of authors. */
interface PlatformJobRule {
  /** Never runs again after it has begun: an interrupted attempt ends the job. */
  isOnce: boolean
  /** How many characters of its result are kept at most. */
  mostOfResult: number
}

export interface JobEntry {
  name: string
  job: Job
}

const most = z.int().min(1).max(10_000)
const optionsSchema = z
  .strictObject({
    description: z.string().min(1),
    input: z.custom<z.ZodObject>(value => value instanceof z.ZodObject, 'must be a z.object').default(z.object({})),
    schedule: scheduleSchema.optional(),
    retries: z.int().min(0).max(50).default(5),
    timeout: z
      .number()
      .min(1)
      .max(24 * 60 * 60)
      .default(300),
    concurrency: z
      .union([
        most.transform(number => ({ most: number })),
        z.strictObject({ most, per: z.custom<Job['run']>(value => typeof value === 'function').optional() }),
      ])
      .optional(),
    waits: z.boolean().default(false),
    run: z.custom<Job['run']>(value => typeof value === 'function', 'must be a function'),
  })
  .superRefine(({ schedule, input }, context) => {
    if (schedule?.each && schedule.each !== 'organization' && !('rowId' in input.shape))
      context.addIssue({ code: 'custom', path: ['input'], message: 'needs the field rowId, the id of a row of `each`' })
  })

/** Declares a job: `server/jobs/<name>.ts` exports it by default. Throws at load with each invalid option. */
export const defineJob = <Input extends z.ZodObject = z.ZodObject<Record<never, never>>>(options: JobOptions<Input>) =>
  mark('job', parseDeclaration('defineJob', optionsSchema, options)) as unknown as Job & { input: Input }

/** Declares a job of the platform with its rule. Throws as `defineJob` does. */
export function definePlatformJob<Input extends z.ZodObject>(
  options: Omit<JobOptions<Input>, 'retries'> & { platform: PlatformJobRule },
) {
  const { platform, ...rest } = options
  return mark('job', { ...defineJob({ ...rest, ...(platform.isOnce && { retries: 0 }) }), platform })
}

export const isJob = (value: unknown): value is Job => isDeclared('job', value)

/** The input for queueing a job, as its author types it. */
export type JobInputOf<Declared> = Declared extends { input: infer Input extends z.ZodObject } ? z.input<Input> : never

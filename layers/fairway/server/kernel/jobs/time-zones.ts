// The time zones of organizations that a function of the author returns. They are stored, so that a due time needs one query.
import { sql } from 'drizzle-orm'
import type { App } from '../app-context'
import { newId } from '../crypto/random'
import { withTimeout } from '../current-run'
import type { TimeZoneOf } from './declared-schedule'
import { toTimeZone } from './each'
import { type JobEntry, PLATFORM_JOB, surroundingsOf } from './job'
import { insertJob } from './queue'

/** The job that refreshes the time zones. */
const ZONES_JOB = `${PLATFORM_JOB}time-zones`
/** How many organizations are read at a time, and how many are asked for at once. */
const PIECE = 500
const AT_ONCE = 20
const ANSWERS_IN_SECONDS = 10

type Organization = Parameters<TimeZoneOf>[0]

/** Queues the refresh at once, before the time zones of a schedule are known for the first time. */
export async function queueTimeZones(app: App, entries: readonly JobEntry[]): Promise<void> {
  const entry = entries.find(({ name }) => name === ZONES_JOB)
  const [organization] = await app.db.orm.all(sql`select 1 from ${organizationsOf(app)} limit 1`)
  if (entry && organization) await app.db.orm.run(insertJob(app, entry, {}, { id: newId(), key: 'schedule' }))
}

/** Asks the functions of these schedules for the time zone of each organization, and stores the answers. */
export async function refreshTimeZones(app: App, entries: readonly JobEntry[], signal?: AbortSignal): Promise<void> {
  for (const { name, job } of entries) {
    const timeZone = job.schedule?.timeZone
    if (typeof timeZone === 'function') await refresh(app, name, timeZone, signal)
  }
}

const organizationsOf = (app: App) => sql.raw(`(${surroundingsOf(app).organizations})`)

async function refresh(app: App, name: string, timeZoneOf: TimeZoneOf, signal?: AbortSignal): Promise<void> {
  await app.db.orm.run(
    sql`delete from fw_job_zones where name = ${name} and org_id not in (select id from ${organizationsOf(app)})`,
  )
  let after = ''
  for (;;) {
    signal?.throwIfAborted()
    const organizations: Organization[] = await app.db.orm.all<Organization>(
      sql`select id, name from ${organizationsOf(app)} where id > ${after} order by id limit ${PIECE}`,
    )
    const answers: Answer[] = []
    while (answers.length < organizations.length) {
      const batch = organizations.slice(answers.length, answers.length + AT_ONCE)
      answers.push(...(await Promise.all(batch.map(each => ask(app, name, timeZoneOf, each)))))
    }
    await store(app, name, answers)
    if (organizations.length < PIECE) return
    after = organizations.at(-1)?.id ?? ''
  }
}

interface Answer {
  orgId: string
  timeZone: string
  /** Whether the function failed; then the time zone that is stored stays. */
  isFailed: boolean
}

async function ask(app: App, name: string, timeZoneOf: TimeZoneOf, organization: Organization): Promise<Answer> {
  const orgId = organization.id
  try {
    const work = async () => timeZoneOf(organization, { db: app.db.orm })
    const text = await withTimeout(ANSWERS_IN_SECONDS, new AbortController(), work)
    const timeZone = text ? toTimeZone(text) : 'UTC'
    if (timeZone === undefined) throw new Error(`“${text}” is not a time zone`)
    return { orgId, timeZone, isFailed: false }
  } catch (error) {
    app.log.warn('the time zone of an organization is not known', { job: name, orgId, error })
    return { orgId, timeZone: 'UTC', isFailed: true }
  }
}

/** Stores the answers in one statement; rows that stay the same are not written. */
async function store(app: App, name: string, answers: readonly Answer[]): Promise<void> {
  await app.db.orm.run(sql`insert into fw_job_zones (name, org_id, time_zone)
    select ${name}, a.value ->> 'orgId', a.value ->> 'timeZone' from json_each(${JSON.stringify(answers)}) a
    where not exists (select 1 from fw_job_zones z where z.name = ${name} and z.org_id = a.value ->> 'orgId'
      and (a.value ->> 'isFailed' or z.time_zone = a.value ->> 'timeZone'))
    on conflict (name, org_id) do update set time_zone = excluded.time_zone`)
}

import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { and, eq } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import type { InValue } from '#fairway/server/kernel/database/client'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { parseInput } from '#fairway/server/kernel/http/read-input'
import { offered } from '#fairway/server/kernel/messages'
import { type Language, toLanguage } from '#fairway/shared/languages'
import { userSettings } from './tables'

/** The organization that a person works in. Written only by `setActiveOrgId` and its parts. */
export const ACTIVE_ORG_SETTING = 'active-org-id'

/** Whether the template's hook for local data was called in this database. */
export const HOOK_SETTING = 'local-migration-hook'

/** The language that a person has chosen (`languageOfPerson`). */
const LANGUAGE_KEY = 'fw-language'

/** The time zone of the browser that signed in most recently (`timeZoneOfPerson`). */
const TIME_ZONE_KEY = 'fw-time-zone'

/** The topics that a person does not want in their inbox, as a JSON array. */
const INBOX_OFF_KEY = 'fw-inbox-off'

// Settings of the platform, stored beside those of the application. The first has a dedicated writer.
export const PLATFORM_SETTINGS: ReadonlySet<string> = new Set([
  ACTIVE_ORG_SETTING,
  'dev-signed-out',
  HOOK_SETTING,
  LANGUAGE_KEY,
  TIME_ZONE_KEY,
  INBOX_OFF_KEY,
])

/** Values stored for a person by key: any JSON, at most 64 KiB each (`value-too-large`). */
export interface PersonValues {
  /** The stored value, or null. */
  get(key: string): Promise<unknown>
  /** The value parsed with a schema, or null if there is none. Throws `internal` when the stored value does not match. */
  get<Schema extends z.ZodType>(key: string, schema: Schema): Promise<z.output<Schema> | null>
  set(key: string, value: unknown): Promise<void>
  delete(key: string): Promise<void>
  /**
   * Stores the result of `change` and returns it. Concurrent updates are applied in sequence: each sees the value that the
   * previous one stored. `change` may run more than once, so it must have no side effects. Throws `conflict` after too many
   * attempts.
   */
  update<Value>(key: string, change: (value: unknown) => Value): Promise<Value>
  /** The same for a value that is parsed with a schema. */
  update<Schema extends z.ZodType, Value extends z.input<Schema>>(
    key: string,
    change: (value: z.output<Schema> | null) => Value,
    schema: Schema,
  ): Promise<Value>
}

interface Person {
  userId: string
  orgId: string | null
}

/** Where the values of one person are stored: a table, and its key columns besides `key`. */
interface Place {
  table: string
  owner: Record<string, InValue>
  /** Columns that are written with the value. */
  stamp?: Record<string, InValue>
  refusedKeys?: ReadonlySet<string>
}

/** The application's values for a person in the organization they work in. `requirePerson` throws where there is none. */
export const personState = (app: App, requirePerson: () => Person): PersonValues =>
  personValues(app, () => {
    const { userId, orgId } = requirePerson()
    const owner = { user_id: userId, org_id: orgId ?? '' }
    return { table: 'application_state', owner, stamp: { updated_at: app.now().getTime() } }
  })

/** A person's own settings, in every organization. Throws `reserved-setting` for keys of the platform. */
export const personSettings = (app: App, requirePerson: () => Person): PersonValues =>
  personValues(app, () => ({
    table: 'user_settings',
    owner: { user_id: requirePerson().userId },
    refusedKeys: PLATFORM_SETTINGS,
  }))

const MOST_BYTES = 64 * 1024
const MOST_TRIES = 100
const LONGEST_PAUSE_IN_MS = 10

function personValues(app: App, placeOf: () => Place): PersonValues {
  const at = (key: string) => storedValue(app, checkedPlace(placeOf(), key), key)
  return {
    async get(key: string, schema: z.ZodType = z.unknown()) {
      const text = await at(key).read()
      return text === null ? null : parsed(text, key, schema)
    },
    async set(key, value) {
      await at(key).put(toText(value))
    },
    async delete(key) {
      await at(key).remove()
    },
    async update<Value>(key: string, change: (value: never) => Value, schema: z.ZodType = z.unknown()) {
      const stored = at(key)
      for (let tries = 0; tries < MOST_TRIES; tries += 1) {
        const before = await stored.read()
        const value = change((before === null ? null : parsed(before, key, schema)) as never)
        if (await stored.replace(before, toText(value))) return value
        // A faster writer has finished; a replica may show its value a moment later.
        await sleep(Math.random() * LONGEST_PAUSE_IN_MS)
      }
      throw new AppError('conflict')
    },
  }
}

const keySchema = z.object({
  key: z.string().regex(/^[\w.:/-]{1,200}$/, 'must be 1 to 200 of: letters, digits, _ . : / -'),
})

function checkedPlace(place: Place, key: string): Place {
  parseInput(keySchema, { key })
  if (place.refusedKeys?.has(key)) throw new AppError('reserved-setting')
  return place
}

function toText(value: unknown): string {
  const text: string | undefined = JSON.stringify(value)
  if (text === undefined) throw new TypeError('what is remembered must be JSON; forget it with delete')
  if (Buffer.byteLength(text) > MOST_BYTES) throw new AppError('value-too-large')
  return text
}

function parsed(text: string, key: string, schema: z.ZodType): unknown {
  const result = schema.safeParse(JSON.parse(text))
  if (result.success) return result.data
  throw new AppError('internal', {
    cause: `what is remembered under ${key} does not fit: ${z.prettifyError(result.error)}`,
  })
}

/** The statements for one value. */
function storedValue(app: App, { table, owner, stamp = {} }: Place, key: string) {
  const identity = { ...owner, key }
  const where = `where ${Object.keys(identity)
    .map(column => `${column} = ?`)
    .join(' and ')}`
  const execute = async (sql: string, args: InValue[]) => app.db.client.execute({ sql, args })
  const insert = (text: string, onConflict: string) => {
    const row = { ...identity, value: text, ...stamp }
    const columns = Object.keys(row)
    const marks = columns.map(() => '?').join(', ')
    return execute(`insert into ${table} (${columns.join(', ')}) values (${marks}) ${onConflict}`, Object.values(row))
  }
  const sets = (from: (column: string) => string) =>
    ['value', ...Object.keys(stamp)].map(column => `${column} = ${from(column)}`).join(', ')
  return {
    async read(): Promise<string | null> {
      const { rows } = await execute(`select value from ${table} ${where}`, Object.values(identity))
      return rows[0] ? String(rows[0].value) : null
    },
    put: (text: string) =>
      insert(
        text,
        `on conflict (${Object.keys(identity).join(', ')}) do update set ${sets(name => `excluded.${name}`)}`,
      ),
    remove: () => execute(`delete from ${table} ${where}`, Object.values(identity)),
    /** True when the value was unchanged. */
    async replace(before: string | null, text: string): Promise<boolean> {
      const { rowsAffected } =
        before === null
          ? await insert(text, 'on conflict do nothing')
          : await execute(`update ${table} set ${sets(() => '?')} ${where} and value = ?`, [
              text,
              ...Object.values(stamp),
              ...Object.values(identity),
              before,
            ])
      return rowsAffected === 1
    },
  }
}

/** Joins a setting (`alias.value`) of the account (`u`). Prefix it with `left ` to keep people without the setting. */
export const settingJoin = (alias: string, key: string): string =>
  `join user_settings ${alias} on ${alias}.user_id = u.id and ${alias}.key = '${key}'`

/** The statement that writes a setting for the people that `from` selects (`u`). `value` is an SQL expression. */
export const writeSettingSql = (key: string, value: string, from: string): string =>
  `insert into user_settings (user_id, key, value) select u.id, '${key}', ${value} ${from}
    on conflict (user_id, key) do update set value = excluded.value`

/** A mark that is set once per database, for the person `:userId`. The caller runs `set` and `clear`. */
export const onceSettingSql = (key: string): { set: string; clear: string } => ({
  set: `insert into user_settings (user_id, key, value) select :userId, '${key}', '1'
    where not exists (select 1 from user_settings where key = '${key}')`,
  clear: `delete from user_settings where key = '${key}'`,
})

const reserved = new Set([ACTIVE_ORG_SETTING])

/** Stores one setting of a person; null deletes it. Throws `forbidden` for settings that have a dedicated writer. */
export async function writeUserSetting(app: App, userId: string, key: string, value: string | null): Promise<void> {
  if (reserved.has(key)) throw new AppError('forbidden', { detail: `The setting ${key} cannot be written directly.` })
  if (value === null) {
    await app.db.orm.delete(userSettings).where(and(eq(userSettings.userId, userId), eq(userSettings.key, key)))
    return
  }
  await app.db.orm
    .insert(userSettings)
    .values({ userId, key, value })
    .onConflictDoUpdate({ target: [userSettings.userId, userSettings.key], set: { value } })
}

type PersonKey = { userId: string } | { email: string }

async function settingOf(app: App, person: PersonKey, key: string): Promise<string | undefined> {
  const [column, value] = 'userId' in person ? ['id', person.userId] : ['email', person.email.trim().toLowerCase()]
  const [row] = await app.db.prepareRead<{ value: string }>(
    `select s.value as value from user_settings s join users u on u.id = s.user_id where u.${column} = ? and s.key = ?`,
  )([value, key])
  return row?.value
}

/** The language that a person has chosen or first signed in with. Undefined when unknown. */
export const languageOfPerson = async (app: App, person: PersonKey): Promise<Language | undefined> =>
  toLanguage(await settingOf(app, person, LANGUAGE_KEY), offered.languages)

/** Stores the language that a person has chosen. */
export const rememberLanguage = (app: App, userId: string, language: Language): Promise<void> =>
  writeUserSetting(app, userId, LANGUAGE_KEY, language)

/** The time zone of the browser in which a person signed in most recently. Undefined when unknown. */
export const timeZoneOfPerson = (app: App, person: PersonKey): Promise<string | undefined> =>
  settingOf(app, person, TIME_ZONE_KEY)

/** Stores the time zone of the browser that signs in. */
export const rememberTimeZone = (app: App, userId: string, timeZone: string): Promise<void> =>
  writeUserSetting(app, userId, TIME_ZONE_KEY, timeZone)

const topicsSchema = z.array(z.string())

/** The topics that a person has switched off in their inbox. */
export async function inboxTopicsOff(app: App, userId: string): Promise<string[]> {
  const stored = await settingOf(app, { userId }, INBOX_OFF_KEY)
  return stored === undefined ? [] : topicsSchema.parse(JSON.parse(stored))
}

/** Switches a topic on or off in a person's inbox, in one statement. */
export async function switchInboxTopic(app: App, userId: string, topic: string, isOn: boolean): Promise<void> {
  const others = `(select json_group_array(value) from json_each(user_settings.value) where value <> :topic)`
  const list = isOn ? others : `json_insert(${others}, '$[#]', :topic)`
  await app.db.client.execute({
    sql: `insert into user_settings (user_id, key, value) values (:userId, '${INBOX_OFF_KEY}', iif(:isOn, '[]', json_array(:topic)))
      on conflict (user_id, key) do update set value = ${list}`,
    args: { userId, topic, isOn: isOn ? 1 : 0 },
  })
}

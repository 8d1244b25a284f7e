import { customType, integer, text } from 'drizzle-orm/sqlite-core'

/** The text primary key `id`; its values are UUIDv7. */
export const id = () => text('id').primaryKey()

/** A point in time: a Date in code, milliseconds since 1970 in the table. */
export const timestamp = (name: string) => integer(name, { mode: 'timestamp_ms' })

const lowerCaseText = customType<{ data: string; driverData: string }>({
  dataType: () => 'text',
  toDriver: address => address.trim().toLowerCase(),
})

/** An email address; trimmed and lower-cased whenever it is stored or compared. */
export const email = (name: string) => lowerCaseText(name)

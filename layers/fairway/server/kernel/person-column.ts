// Columns that name a person by the address. Their SQL types say so, so that the platform finds them in any table.
import { customType } from 'drizzle-orm/sqlite-core'
import { emailSchema } from '../../shared/schemas/email'

export const PERSON_TYPE = 'text_person'
export const CREATOR_TYPE = 'text_creator'

/** A column with the address of a member, who is responsible for the row: it is handed over when they leave, and follows a change of address. */
export const person = customType<{ data: string; driverData: string }>({ dataType: () => PERSON_TYPE })

/** The address of a member of the active organization, as an input of actions: everybody else is refused with `not-a-member`. */
export const personSchema = emailSchema.meta({
  collection: 'team-members',
  collectionField: 'email',
  isMember: true,
})

/** A column with the address of whoever created the row; null once that account has ended. */
export const creator = customType<{ data: string; driverData: string }>({ dataType: () => CREATOR_TYPE })

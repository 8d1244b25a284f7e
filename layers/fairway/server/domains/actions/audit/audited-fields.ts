// A separate file, because the build loads declarations without the code that runs them.
import { getTableColumns, getTableName } from 'drizzle-orm'
import { z } from 'zod'
import { SECRET_NAME } from '#fairway/shared/secrets'
import type { Action, AuditSubject } from '../action'

/**
 * Throws unless audit rows may keep the values of these fields. Refused are names of secrets, and inputs whose `meta` has the
 * format `password` or is `writeOnly`.
 */
export function checkAuditedFields(caller: string, fields: readonly string[], input?: z.ZodObject): void {
  for (const name of fields) {
    const schema = input?.shape[name]
    const { format, writeOnly } = schema ? z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) : {}
    if (SECRET_NAME.test(name) || format === 'password' || writeOnly === true)
      throw new Error(`${caller}: audit: changes: "${name}" is a secret, which the audit log never keeps`)
  }
}

interface Declared {
  changes?: readonly string[]
  read?: NonNullable<Action['changes']>['read']
  subject?: AuditSubject
}

/** The fields of an action whose changes audit rows keep. Throws for a secret, and for fields that nothing is known of. */
export function auditedFields(
  { input, readOnly }: Pick<Action, 'input' | 'readOnly'>,
  { changes: fields = [], read, subject }: Declared,
): Action['changes'] {
  if (fields.length === 0) return undefined
  const fail = (text: string) => new Error(`defineAction: audit: changes: ${text}`)
  if (readOnly) throw fail('an action that is readOnly changes nothing')
  checkAuditedFields('defineAction', fields, input)
  if (read) return { fields, read }
  if (!subject) throw fail('needs a subject, or `read`')
  const unknown = fields.find(name => !Object.hasOwn(getTableColumns(subject.table), name))
  if (unknown !== undefined) throw fail(`"${unknown}" is no column of ${getTableName(subject.table)}`)
  return { fields }
}

/** The exports that a file of tables may use: drizzle-kit also reads such files, and it knows no aliases. */
export { organizationColumns, ownableColumns, references } from './domains/organizations/ownable-columns'
export {
  file,
  files,
  fileSchema,
  filesSchema,
  foldedText,
  jsonSchema,
  moneySchema,
  storedFile,
} from './kernel/field-types'
export { person, personSchema, teamColumn, teamSchema } from './kernel/owned-rows'
export {
  allOf,
  appRole,
  definePolicy,
  orgRole,
  permission,
  rowIs,
  via,
  shared,
  team,
} from './domains/organizations/policy'

/** What a file of tables may use: such files are read by drizzle-kit too, which knows no aliases. */
export { ownableColumns } from './domains/organizations/ownable-columns'

/** Every table, for drizzle-kit and tests; a domain's own code imports its own tables. */
export * from './domains/accounts/tables'
export * from './domains/actions/tables'
export * from './domains/app-roles/tables'
export * from './domains/organizations/tables'
export * from './domains/rate-limits/tables'
export * from './domains/sharing/tables'
export * from './domains/vault/tables'
export * from './database/notes'

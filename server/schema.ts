/** Every table, for drizzle-kit and tests; a domain's own code imports its own tables. */
export * from './domains/accounts/tables'
export * from './domains/actions/tables'
export * from './domains/rate-limits/tables'
export * from './database/notes'

import { defineConfig } from 'drizzle-kit'

// Paths are relative to the root of the repository, where `npm run db:generate:platform` runs.
export default defineConfig({
  dialect: 'turso',
  schema: './layers/fairway/server/schema.ts',
  out: './layers/fairway/drizzle',
})

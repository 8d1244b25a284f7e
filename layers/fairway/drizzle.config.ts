import { defineConfig } from 'drizzle-kit'

// Paths are relative to the repository's root, where `npm run db:generate:platform` starts it.
export default defineConfig({
  dialect: 'turso',
  schema: './layers/fairway/server/schema.ts',
  out: './layers/fairway/drizzle',
})

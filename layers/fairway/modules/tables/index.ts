import { join } from 'node:path'
import { defineNuxtModule, useLogger } from '@nuxt/kit'
import { watchPlace } from '../registry/follow-declarations'
import { checkTables } from './check-tables'
import { loadTables, TABLES_PLACE, unmigratedTables } from './load-tables'

/** A table that cannot be made beside the platform's stops the build and the start of the development server; one without a migration is told of. */
export default defineNuxtModule({
  meta: { name: 'tables' },
  setup(_options, nuxt) {
    const { rootDir } = nuxt.options
    const logger = useLogger('tables')
    const check = async (again: boolean) => {
      const loaded = await loadTables(rootDir, { again })
      await checkTables(rootDir, loaded)
      const names = await unmigratedTables(rootDir, loaded.files)
      if (names.length === 0) return
      logger.warn(
        `changed without a migration: ${names.join(', ')} (${TABLES_PLACE}). Write it with \`npm run db:generate\`.`,
      )
    }
    if (nuxt.options._prepare) return
    nuxt.hook('build:before', () => check(false))
    if (!nuxt.options.dev) return
    // The server keeps the last good build; the terminal says what stops the next one.
    const tell = (error: unknown) => logger.error(error instanceof Error ? error.message : error)
    for (const place of [TABLES_PLACE, 'drizzle']) watchPlace(nuxt, join(rootDir, place), () => check(true).catch(tell))
  },
})

import { defineCommand } from 'citty'
import { endWith, showProgress, tellFailure } from './terminal'

/** `fw export --to postgres [file]`: writes the schema and all rows for another database; exits with 1 when it cannot. */
export const exportCommand = defineCommand({
  meta: { name: 'export', description: 'Write the schema and all rows of the database as SQL for PostgreSQL.' },
  args: {
    file: {
      type: 'positional',
      required: false,
      description: 'The new file. A name with the time, in `exports` of the data folder.',
    },
    to: { type: 'string', required: true, description: 'The database that loads the file: postgres.' },
    'dry-run': {
      type: 'boolean',
      default: false,
      description: 'Read everything and say what cannot be translated; write nothing.',
    },
    force: { type: 'boolean', default: false, description: 'Replace an existing file.' },
    'replace-nul': {
      type: 'boolean',
      default: false,
      description: 'Write U+FFFD for each NUL character in a text, which PostgreSQL cannot store.',
    },
    json: { type: 'boolean', default: false, description: 'Write one JSON object.' },
  },
  run: ({ args }) =>
    endWith(
      async () => (await import('./export/export-to-postgres')).exportToPostgres(args),
      thrown => {
        showProgress('')
        return tellFailure(thrown)
      },
    ),
})

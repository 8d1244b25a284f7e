import { defineCommand } from 'citty'
import { endWith, showProgress, tellFailure } from './terminal'

/** The option for the passphrase of a backup. */
const key = {
  type: 'string',
  description: 'A file that holds the passphrase, 16 characters or more. With it a backup is encrypted.',
} as const

/**
 * `fw backup [file]`: writes a checked copy of the running database; `--check` checks an existing backup. Exits with 1 when it is
 * damaged.
 */
export const backupCommand = defineCommand({
  meta: { name: 'backup', description: 'Copy the database and the files while the server runs, and check the copy.' },
  args: {
    file: {
      type: 'positional',
      required: false,
      description: 'The new file. A name with the time, in `backups` of the data folder.',
    },
    key,
    check: { type: 'boolean', default: false, description: 'Check an existing backup; write nothing.' },
  },
  run: ({ args }) =>
    telling(async () => {
      const { checkBackup, writeBackup } = await import('./backup/backup')
      await (args.check ? checkBackup(args.file, args.key) : writeBackup(args.file, args.key))
    }),
})

/**
 * `fw restore <file>`: replaces the database with a backup and keeps the old database beside it. Without `--yes` it only shows
 * the changes. To replace the database of the settings, its address must be stated.
 */
export const restoreCommand = defineCommand({
  meta: {
    name: 'restore',
    description: 'Replace the database with a backup; the current one is kept beside it.',
  },
  args: {
    file: { type: 'positional', required: true, description: 'The backup.' },
    key,
    to: { type: 'string', description: 'Restore into this folder, whatever the settings say.' },
    replace: {
      type: 'string',
      description: 'The address of the database that the backup replaces, as the command shows it.',
    },
    yes: {
      type: 'boolean',
      default: false,
      description:
        'Do it. Without this or `--replace` nothing changes. Where a database is replaced, its address is asked for.',
    },
  },
  run: ({ args }) =>
    telling(async () => {
      const { restore } = await import('./backup/restore')
      await restore(args.file, args)
    }),
})

const telling = (work: () => Promise<void>): Promise<void> =>
  endWith(
    () => work().then(() => 0),
    thrown => {
      showProgress('')
      return tellFailure(thrown)
    },
  )

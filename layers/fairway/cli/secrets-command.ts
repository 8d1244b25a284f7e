import { defineCommand } from 'citty'
import { connectionSealedColumns } from '../server/domains/oauth-client'
import { signingKeySealedColumns } from '../server/domains/oauth-server'
import { twoFactorSealedColumns } from '../server/domains/sign-in'
import { vaultSealedColumns } from '../server/domains/organizations'
import { reseal } from '../server/kernel/crypto/reseal'
import { oneTimeSealedColumns } from '../server/kernel/one-time/one-time'
import { showProgress, withLocalApp } from './with-local-app'

const sealedColumns = [
  ...vaultSealedColumns,
  ...connectionSealedColumns,
  ...twoFactorSealedColumns,
  ...signingKeySealedColumns,
  ...oneTimeSealedColumns,
]

const resealCommand = defineCommand({
  meta: {
    name: 'reseal',
    description: 'Seal everything anew with the current BETTER_AUTH_SECRET, so that earlier ones can go.',
  },
  args: { 'dry-run': { type: 'boolean', description: 'Count only; change nothing.', default: false } },
  run: ({ args }) =>
    withLocalApp(async app => {
      const dryRun = args['dry-run']
      let unreadable = 0
      for (const column of sealedColumns) {
        const report = await reseal(app, column, {
          dryRun,
          onProgress: ({ name, rows, resealed }) => showProgress(`${name}: ${rows} rows, ${resealed} anew`),
        })
        showProgress('')
        unreadable += report.unreadable
        const verb = dryRun ? 'would be sealed anew' : 'sealed anew'
        process.stdout.write(
          `${report.name}: ${report.rows} rows, ${report.resealed} ${verb}, ${report.unreadable} unreadable\n`,
        )
      }
      if (unreadable > 0)
        process.stderr.write(
          'Unreadable rows were sealed with a secret that is not among BETTER_AUTH_SECRET_PREVIOUS.\n',
        )
      return unreadable === 0 ? 0 : 1
    }),
})

/** `fw secrets reseal [--dry-run]`: the job after the secret was changed; ends with 1 when rows are left that nothing opens. */
export const secretsCommand = defineCommand({
  meta: { name: 'secrets', description: 'The secrets of this application.' },
  subCommands: { reseal: resealCommand },
})

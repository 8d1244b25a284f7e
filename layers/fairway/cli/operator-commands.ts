// What operators do with the database of this folder: the audit log, the secrets, and the switch of an identity hub for desktop sign-in.
import { defineCommand } from 'citty'
import { oneTimeSealedColumns } from '../server/kernel/one-time/one-time'
import { verifyAuditLog } from '../server/domains/actions'
import { connectionSealedColumns } from '../server/domains/oauth-client'
import { signingKeySealedColumns, isWorkspaceSsoOn, setWorkspaceSso } from '../server/domains/oauth-server'
import { twoFactorSealedColumns } from '../server/domains/sign-in'
import { vaultSealedColumns } from '../server/domains/organizations'
import { reseal } from '../server/kernel/crypto/reseal'
import type { App } from '../server/kernel/app-context'
import { showProgress, withLocalApp } from './local-app'

const verify = defineCommand({
  meta: { name: 'verify', description: 'Check that no row of the audit log was changed or deleted.' },
  run: () =>
    withLocalApp(async app => {
      const reports = await verifyAuditLog(app, rows => showProgress(`${rows} rows`))
      showProgress('')
      for (const { chain, rows, head, faults } of reports) {
        const result = faults.length === 0 ? 'holds' : faults.join('; ')
        process.stdout.write(`${chain}: ${rows} rows, ${result}${head ? `, head ${head}` : ''}\n`)
      }
      if (reports.length === 0) process.stdout.write('The audit log is empty.\n')
      return reports.every(({ faults }) => faults.length === 0) ? 0 : 1
    }),
})

/** `fw audit verify`: walks the chains of the audit log; ends with 1 when one does not hold. */
export const auditCommand = defineCommand({
  meta: { name: 'audit', description: 'The audit log of this application.' },
  subCommands: { verify },
})

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

const say = async (app: App): Promise<number> => {
  const { hub, client } = app.config.identity
  const isOn = await isWorkspaceSsoOn(app)
  process.stdout.write(`Desktop sign-in is ${isOn ? 'on' : 'off'}.\n`)
  if (hub) process.stdout.write(`This application is an identity hub of ${hub.apps.length} applications.\n`)
  else process.stdout.write('This application is not an identity hub, so there is nothing to switch on.\n')
  if (client) process.stdout.write(`People sign in here through ${client.url}.\n`)
  return 0
}

const switchTo = (isOn: boolean) => () =>
  withLocalApp(async app => {
    await setWorkspaceSso(app, isOn, 'fw desktop')
    return say(app)
  })

/** Says how the switch of the hub stands. */
export const statusCommand = defineCommand({
  meta: { name: 'status', description: 'Say whether desktop applications may sign people in to this workspace.' },
  run: () => withLocalApp(say),
})
/** Turns it on. */
export const onCommand = defineCommand({
  meta: { name: 'on', description: 'Let desktop applications sign people in to this workspace.' },
  run: switchTo(true),
})
/** Turns it off. */
export const offCommand = defineCommand({
  meta: { name: 'off', description: 'End that; sign-ins that are under way end too.' },
  run: switchTo(false),
})

// Commands for operators on the database of this folder: the audit log, the secrets, webhooks, and the switch of an identity hub
// for desktop sign-in.
import { defineCommand } from 'citty'
import { oneTimeSealedColumns } from '../server/kernel/one-time/one-time'
import { verifyAuditLog } from '../server/domains/actions'
import { connectionSealedColumns } from '../server/domains/oauth-client'
import {
  retireSigningKeys,
  oauthSealedColumns,
  isWorkspaceSsoOn,
  setWorkspaceSso,
} from '../server/domains/oauth-server'
import { twoFactorSealedColumns } from '../server/domains/sign-in'
import { vaultSealedColumns } from '../server/domains/organizations'
import {
  deliveryInput,
  listDeliveries,
  replaySince,
  requireLocalWebhook,
  toWebhooks,
  webhookSealedColumns,
} from '../server/domains/webhooks'
import { parseInput } from '../server/kernel/http/read-input'
import { reseal } from '../server/kernel/crypto/reseal'
import { mailSealedColumns } from '../server/kernel/mail/queue-mail'
import type { App } from '../server/kernel/app-context'
import { withLocalApp } from './local-app'
import { say, showProgress } from './terminal'

const dryRun = { type: 'boolean', description: 'Count only; change nothing.', default: false } as const

const verify = defineCommand({
  meta: { name: 'verify', description: 'Check that no row of the audit log was changed or deleted.' },
  run: () =>
    withLocalApp(async app => {
      const reports = await verifyAuditLog(app, rows => showProgress(`${rows} rows`))
      showProgress('')
      for (const { chain, rows, head, faults } of reports) {
        const result = faults.length === 0 ? 'holds' : faults.join('; ')
        say(`${chain}: ${rows} rows, ${result}${head ? `, head ${head}` : ''}`)
      }
      if (reports.length === 0) say('The audit log is empty.')
      return reports.every(({ faults }) => faults.length === 0) ? 0 : 1
    }),
})

/** `fw audit verify`: checks the chains of the audit log; exits with 1 when one is broken. */
export const auditCommand = defineCommand({
  meta: { name: 'audit', description: 'The audit log of this application.' },
  subCommands: { verify },
})

const sealedColumns = [
  ...vaultSealedColumns,
  ...connectionSealedColumns,
  ...twoFactorSealedColumns,
  ...oauthSealedColumns,
  ...oneTimeSealedColumns,
  ...mailSealedColumns,
  ...webhookSealedColumns,
]

const resealCommand = defineCommand({
  meta: {
    name: 'reseal',
    description: 'Encrypt everything again with the current BETTER_AUTH_SECRET, so that you can remove earlier ones.',
  },
  args: { 'dry-run': dryRun },
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
        say(`${report.name}: ${report.rows} rows, ${report.resealed} ${verb}, ${report.unreadable} unreadable`)
      }
      if (unreadable > 0)
        process.stderr.write(
          'Unreadable rows were sealed with a secret that is not among BETTER_AUTH_SECRET_PREVIOUS.\n',
        )
      return unreadable === 0 ? 0 : 1
    }),
})

const retireCommand = defineCommand({
  meta: {
    name: 'retire-signing-keys',
    description:
      'Sign what hosts are given with a new key from now on. What was signed before stays good until it ends.',
  },
  run: () =>
    withLocalApp(async app => {
      const count = await retireSigningKeys(app)
      say(`Signing keys retired: ${count}. Servers take a new one within a minute.`)
      return 0
    }),
})

/**
 * `fw secrets`: the jobs before and after a change of the secret; `reseal` exits with 1 when rows remain that no secret opens.
 */
export const secretsCommand = defineCommand({
  meta: { name: 'secrets', description: 'The secrets of this application.' },
  subCommands: { reseal: resealCommand, 'retire-signing-keys': retireCommand },
})

const tellSwitch = async (app: App): Promise<number> => {
  const { hub, client } = app.config.identity
  const isOn = await isWorkspaceSsoOn(app)
  say(`Desktop sign-in is ${isOn ? 'on' : 'off'}.`)
  if (hub) say(`This application is an identity hub of ${hub.apps.length} applications.`)
  else say('This application is not an identity hub, so there is nothing to switch on.')
  if (client) say(`People sign in here through ${client.url}.`)
  return 0
}

const switchTo = (isOn: boolean) => () =>
  withLocalApp(async app => {
    await setWorkspaceSso(app, isOn, 'fw desktop')
    return tellSwitch(app)
  })

/** Shows the state of the hub's switch. */
export const statusCommand = defineCommand({
  meta: { name: 'status', description: 'Say whether desktop applications may sign people in to this workspace.' },
  run: () => withLocalApp(tellSwitch),
})
/** Turns the switch on. */
export const onCommand = defineCommand({
  meta: { name: 'on', description: 'Let desktop applications sign people in to this workspace.' },
  run: switchTo(true),
})
/** Turns the switch off. */
export const offCommand = defineCommand({
  meta: { name: 'off', description: 'End that; sign-ins that are under way end too.' },
  run: switchTo(false),
})

const sayLines = (lines: readonly string[]): number => {
  for (const line of lines) say(line)
  return 0
}

const listWebhooksCommand = defineCommand({
  meta: { name: 'list', description: 'List every webhook with its state, what waits and what was given up.' },
  run: () =>
    withLocalApp(async app => {
      const webhooks = await toWebhooks(app)
      if (webhooks.length === 0) return sayLines(['There are no webhooks.'])
      return sayLines(
        webhooks.map(({ id, scope, url, state, pending, failed }) =>
          // The part after the host may contain a secret.
          [id, scope, state, `${pending} waiting`, `${failed} given up`, new URL(url).host].join('  '),
        ),
      )
    }),
})

const id = { type: 'positional', description: 'The ID of the webhook.', required: true } as const

const deliveriesCommand = defineCommand({
  meta: { name: 'deliveries', description: 'List the latest deliveries of a webhook.' },
  args: {
    id,
    state: { type: 'string', description: 'Only those that are pending, sent or failed.' },
  },
  run: ({ args }) =>
    withLocalApp(async app => {
      const webhook = await requireLocalWebhook(app, args.id)
      const query = parseInput(deliveryInput.list, { itemsPerPage: 100, state: args.state })
      const { deliveries, totalItems } = await listDeliveries(app, webhook, query)
      return sayLines([
        ...deliveries.map(({ messageId, type, state, tries, status, fault, lastTryAt }) =>
          [lastTryAt ?? 'not tried yet', state, `try ${tries}`, status ?? fault ?? '-', type, messageId].join('  '),
        ),
        `${deliveries.length} of ${totalItems} deliveries`,
      ])
    }),
})

const replayCommand = defineCommand({
  meta: { name: 'replay', description: 'Send the events since a time again; the running application delivers them.' },
  args: {
    id,
    since: { type: 'string', description: 'A time as ISO 8601, for example 2026-01-31T08:00:00Z.', required: true },
    all: { type: 'boolean', description: 'Also those that were accepted.', default: false },
    'dry-run': dryRun,
  },
  run: ({ args }) =>
    withLocalApp(async app => {
      const webhook = await requireLocalWebhook(app, args.id)
      const include = args.all ? 'all' : 'undelivered'
      const input = parseInput(deliveryInput.replay, { since: args.since, include })
      const { events, isDryRun } = await replaySince(app, webhook, input, args['dry-run'])
      return sayLines([`${events} events ${isDryRun ? 'would be sent again' : 'are queued'}`])
    }),
})

/** `fw webhooks`: lists webhooks and deliveries, and resends events. */
export const webhooksCommand = defineCommand({
  meta: { name: 'webhooks', description: 'The webhooks of this application.' },
  subCommands: { list: listWebhooksCommand, deliveries: deliveriesCommand, replay: replayCommand },
})

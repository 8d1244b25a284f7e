// The work of operator-commands.ts. Each function returns the exit code.
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
import { orgConnectionSealedColumns, vaultSealedColumns } from '../server/domains/organizations'
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
import { say, showProgress } from './terminal'

/** Checks the chains of the audit log; 1 when one is broken. */
export async function tellAuditLog(app: App): Promise<number> {
  const reports = await verifyAuditLog(app, rows => showProgress(`${rows} rows`))
  showProgress('')
  for (const { chain, rows, head, faults } of reports) {
    const result = faults.length === 0 ? 'holds' : faults.join('; ')
    say(`${chain}: ${rows} rows, ${result}${head ? `, head ${head}` : ''}`)
  }
  if (reports.length === 0) say('The audit log is empty.')
  return reports.every(({ faults }) => faults.length === 0) ? 0 : 1
}

const sealedColumns = [
  ...vaultSealedColumns,
  ...orgConnectionSealedColumns,
  ...connectionSealedColumns,
  ...twoFactorSealedColumns,
  ...oauthSealedColumns,
  ...oneTimeSealedColumns,
  ...mailSealedColumns,
  ...webhookSealedColumns,
]

/** Encrypts everything again with the current secret; 1 when rows remain that no secret opens. */
export async function resealAll(app: App, dryRun: boolean): Promise<number> {
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
    process.stderr.write('Unreadable rows were sealed with a secret that is not among BETTER_AUTH_SECRET_PREVIOUS.\n')
  return unreadable === 0 ? 0 : 1
}

/** Lets servers sign with a new key. */
export async function retireKeys(app: App): Promise<number> {
  const count = await retireSigningKeys(app)
  say(`Signing keys retired: ${count}. Servers take a new one within a minute.`)
  return 0
}

/** Says whether desktop applications may sign people in. */
export async function tellSwitch(app: App): Promise<number> {
  const { hub, client } = app.config.identity
  const isOn = await isWorkspaceSsoOn(app)
  say(`Desktop sign-in is ${isOn ? 'on' : 'off'}.`)
  if (hub) say(`This application is an identity hub of ${hub.apps.length} applications.`)
  else say('This application is not an identity hub, so there is nothing to switch on.')
  if (client) say(`People sign in here through ${client.url}.`)
  return 0
}

/** Turns the switch on or off, and says what it is now. */
export async function switchTo(app: App, isOn: boolean): Promise<number> {
  await setWorkspaceSso(app, isOn, 'fw desktop')
  return tellSwitch(app)
}

const sayLines = (lines: readonly string[]): number => {
  for (const line of lines) say(line)
  return 0
}

/** Lists every webhook. */
export async function tellWebhooks(app: App): Promise<number> {
  const webhooks = await toWebhooks(app)
  if (webhooks.length === 0) return sayLines(['There are no webhooks.'])
  return sayLines(
    webhooks.map(({ id, scope, name, url, state, pending, failed }) =>
      // The part after the host may contain a secret.
      [id, scope, state, `${pending} waiting`, `${failed} given up`, new URL(url).host, name ?? []].flat().join('  '),
    ),
  )
}

/** Lists the latest deliveries of a webhook. Throws `not-found`, and `invalid-input` for an unknown state. */
export async function tellDeliveries(app: App, id: string, state: string | undefined): Promise<number> {
  const webhook = await requireLocalWebhook(app, id)
  const query = parseInput(deliveryInput.list, { itemsPerPage: 100, state })
  const { deliveries, totalItems } = await listDeliveries(app, webhook, query)
  return sayLines([
    ...deliveries.map(({ messageId, type, state, tries, status, fault, lastTryAt }) =>
      [lastTryAt ?? 'not tried yet', state, `try ${tries}`, status ?? fault ?? '-', type, messageId].join('  '),
    ),
    `${deliveries.length} of ${totalItems} deliveries`,
  ])
}

interface Replay {
  id: string
  since: string
  all: boolean
  'dry-run': boolean
}

/** Queues the events of a webhook since a time again. Throws `not-found`, and `invalid-input` for text that is not a time. */
export async function replay(app: App, { id, since, all, 'dry-run': isDry }: Replay): Promise<number> {
  const webhook = await requireLocalWebhook(app, id)
  const input = parseInput(deliveryInput.replay, { since, include: all ? 'all' : 'undelivered' })
  const { events, isDryRun } = await replaySince(app, webhook, input, isDry)
  return sayLines([`${events} events ${isDryRun ? 'would be sent again' : 'are queued'}`])
}

// Commands for operators on the database of this folder: the audit log, the secrets, webhooks, and the switch of an identity hub
// for desktop sign-in.
import { defineCommand } from 'citty'
import type { App } from '../server/kernel/app-context'
import type * as operatorWork from './operator-work'
import { endWith, tellLocalFailure } from './terminal'

type Work = typeof operatorWork

/** Runs the work on the database of this folder, and exits with the exit code that it returns. */
const onDatabase = (work: (operator: Work, app: App) => Promise<number>): Promise<void> =>
  endWith(async () => {
    const { inLocalApp } = await import('./local-app')
    const operator = await import('./operator-work')
    return inLocalApp(app => work(operator, app))
  }, tellLocalFailure)

const dryRun = { type: 'boolean', description: 'Count only; change nothing.', default: false } as const

const verify = defineCommand({
  meta: { name: 'verify', description: 'Check that no row of the audit log was changed or deleted.' },
  run: () => onDatabase(({ tellAuditLog }, app) => tellAuditLog(app)),
})

/** `fw audit verify`: checks the chains of the audit log; exits with 1 when one is broken. */
export const auditCommand = defineCommand({
  meta: { name: 'audit', description: 'The audit log of this application.' },
  subCommands: { verify },
})

const reseal = defineCommand({
  meta: {
    name: 'reseal',
    description: 'Encrypt everything again with the current BETTER_AUTH_SECRET, so that you can remove earlier ones.',
  },
  args: { 'dry-run': dryRun },
  run: ({ args }) => onDatabase(({ resealAll }, app) => resealAll(app, args['dry-run'])),
})

const retire = defineCommand({
  meta: {
    name: 'retire-signing-keys',
    description:
      'Sign what hosts are given with a new key from now on. What was signed before stays good until it ends.',
  },
  run: () => onDatabase(({ retireKeys }, app) => retireKeys(app)),
})

/**
 * `fw secrets`: the jobs before and after a change of the secret; `reseal` exits with 1 when rows remain that no secret opens.
 */
export const secretsCommand = defineCommand({
  meta: { name: 'secrets', description: 'The secrets of this application.' },
  subCommands: { reseal, 'retire-signing-keys': retire },
})

/** Shows the state of the hub's switch. */
export const statusCommand = defineCommand({
  meta: { name: 'status', description: 'Say whether desktop applications may sign people in to this workspace.' },
  run: () => onDatabase(({ tellSwitch }, app) => tellSwitch(app)),
})
/** Turns the switch on. */
export const onCommand = defineCommand({
  meta: { name: 'on', description: 'Let desktop applications sign people in to this workspace.' },
  run: () => onDatabase(({ switchTo }, app) => switchTo(app, true)),
})
/** Turns the switch off. */
export const offCommand = defineCommand({
  meta: { name: 'off', description: 'End that; sign-ins that are under way end too.' },
  run: () => onDatabase(({ switchTo }, app) => switchTo(app, false)),
})

const list = defineCommand({
  meta: { name: 'list', description: 'List every webhook with its state, what waits and what was given up.' },
  run: () => onDatabase(({ tellWebhooks }, app) => tellWebhooks(app)),
})

const id = { type: 'positional', description: 'The ID of the webhook.', required: true } as const

const deliveries = defineCommand({
  meta: { name: 'deliveries', description: 'List the latest deliveries of a webhook.' },
  args: {
    id,
    state: { type: 'string', description: 'Only those that are pending, sent or failed.' },
  },
  run: ({ args }) => onDatabase(({ tellDeliveries }, app) => tellDeliveries(app, args.id, args.state)),
})

const replay = defineCommand({
  meta: { name: 'replay', description: 'Send the events since a time again; the running application delivers them.' },
  args: {
    id,
    since: { type: 'string', description: 'A time as ISO 8601, for example 2026-01-31T08:00:00Z.', required: true },
    all: { type: 'boolean', description: 'Also those that were accepted.', default: false },
    'dry-run': dryRun,
  },
  run: ({ args }) => onDatabase((operator, app) => operator.replay(app, args)),
})

/** `fw webhooks`: lists webhooks and deliveries, and resends events. */
export const webhooksCommand = defineCommand({
  meta: { name: 'webhooks', description: 'The webhooks of this application.' },
  subCommands: { list, deliveries, replay },
})

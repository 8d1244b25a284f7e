import { defineCommand } from 'citty'
import { timeoutArg } from './browser'
import { endWith } from './terminal'

const dryRun = { type: 'boolean', description: 'Say what would happen and change nothing.' } as const

const connect = defineCommand({
  meta: { name: 'connect', description: 'Connect the builder service in the browser; its keys go into .env.' },
  args: { 'dry-run': dryRun, timeout: timeoutArg },
  run: ({ args }) => endWith(async () => (await import('./builder')).connect(args.timeout, args['dry-run'])),
})

const status = defineCommand({
  meta: { name: 'status', description: 'Say whether a builder service is connected.' },
  run: () => endWith(async () => (await import('./builder')).tellStatus()),
})

const disconnect = defineCommand({
  meta: { name: 'disconnect', description: 'Take the keys of the builder service out of .env.' },
  args: { 'dry-run': dryRun },
  run: ({ args }) => endWith(async () => (await import('./builder')).disconnect(args['dry-run'])),
})

/** `fw builder …`: browser access by an external builder service. */
export const builderCommand = defineCommand({
  meta: { name: 'builder', description: 'Browser access by a builder service: connect, status, disconnect.' },
  subCommands: { connect, status, disconnect },
})

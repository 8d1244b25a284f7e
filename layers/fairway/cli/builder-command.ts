import { defineCommand } from 'citty'
import { readEnv } from '../server/kernel/config/env'
import { BUILDER_NAMES, type BuilderValues, connectBuilder } from './connect-builder'
import { changeEnvFile, readEnvFile } from './env-file'

const ENV_FILE = '.env'
const MAX_TIMEOUT_IN_SECONDS = 600
const names = Object.keys(BUILDER_NAMES) as (keyof BuilderValues)[]

const say = (line: string) => process.stdout.write(`${line}\n`)

const dryRun = { type: 'boolean', description: 'Say what would happen and change nothing.' } as const

const connect = defineCommand({
  meta: { name: 'connect', description: `Connect the builder service in the browser; its keys go into ${ENV_FILE}.` },
  args: {
    'dry-run': dryRun,
    timeout: { type: 'string', description: 'How many seconds to wait for the browser, 300 when not given.' },
  },
  run: ({ args }) =>
    reporting(async () => {
      const seconds = Number(args.timeout ?? 300)
      if (!(seconds >= 1 && seconds <= MAX_TIMEOUT_IN_SECONDS))
        throw new Error(`--timeout takes 1 to ${MAX_TIMEOUT_IN_SECONDS} seconds.`)
      const { BUILDER_APP_HOST: appHost = 'https://builder.io' } = readEnv({
        BUILDER_APP_HOST: process.env.BUILDER_APP_HOST,
      })
      await connectBuilder({
        appHost,
        envFile: ENV_FILE,
        timeoutInMs: seconds * 1000,
        isDryRun: args['dry-run'] === true,
        say,
      })
    }),
})

const status = defineCommand({
  meta: { name: 'status', description: 'Say whether a builder service is connected.' },
  run: () =>
    reporting(async () => {
      const present = names.filter(name => process.env[name])
      if (!process.env.BUILDER_PRIVATE_KEY || !process.env.BUILDER_PUBLIC_KEY) {
        say('Not connected. Run `fw builder connect`.')
        process.exitCode = 1
        return
      }
      const { BUILDER_ORG_NAME: name, BUILDER_ORG_KIND: kind } = process.env
      say(`Connected${name ? ` to ${name}` : ''}${kind ? ` (${kind})` : ''}.`)
      const inFile = await readEnvFile(ENV_FILE)
      for (const item of present)
        say(`  ${item}: set ${inFile[item] === process.env[item] ? `in ${ENV_FILE}` : 'in the environment'}`)
    }),
})

const disconnect = defineCommand({
  meta: { name: 'disconnect', description: `Take the keys of the builder service out of ${ENV_FILE}.` },
  args: { 'dry-run': dryRun },
  run: ({ args }) =>
    reporting(async () => {
      const inFile = await readEnvFile(ENV_FILE)
      const present = names.filter(name => inFile[name] !== undefined)
      if (present.length === 0) say(`${ENV_FILE} holds no keys of a builder service.`)
      else if (args['dry-run']) say(`Would take ${present.join(', ')} out of ${ENV_FILE}. Nothing was changed.`)
      else {
        await changeEnvFile(ENV_FILE, Object.fromEntries(present.map(name => [name, null])))
        say(
          `${present.join(', ')} are gone from ${ENV_FILE}. The keys still work: withdraw them at the builder service.`,
        )
      }
      const elsewhere = names.filter(name => process.env[name] && process.env[name] !== inFile[name])
      if (elsewhere.length > 0) say(`Still set in the environment: ${elsewhere.join(', ')}.`)
    }),
})

/** `fw builder …`: browser access by an external builder service. */
export const builderCommand = defineCommand({
  meta: { name: 'builder', description: 'Browser access by a builder service: connect, status, disconnect.' },
  subCommands: { connect, status, disconnect },
})

// A failure is one sentence; a stack could hold what the browser brought.
async function reporting(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : 'This did not work.'}\n`)
    process.exitCode = 1
  }
}

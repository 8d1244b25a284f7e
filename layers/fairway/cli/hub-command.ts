import { defineCommand } from 'citty'
import { describeRegistry } from './hub/describe-registry'
import { hubReport, reportLines } from './hub/hub-report'
import { offlineApp } from './hub/offline-app'

const check = defineCommand({
  meta: { name: 'check', description: 'Check both sides of signing in through an identity hub.' },
  args: {
    'as-hub': { type: 'boolean', description: 'Say which applications this one knows as a hub.' },
    json: { type: 'boolean', description: 'Write one JSON object.' },
  },
  run: ({ args }) =>
    reporting(async () => {
      const app = offlineApp(process.env)
      if (args['as-hub']) {
        const { lines, ...registry } = describeRegistry(app.config)
        return write(registry, lines, args.json)
      }
      const report = await hubReport(app, process.env.FW_IDENTITY_HUB_URL)
      return write(report, reportLines(report), args.json)
    }),
})

/** `fw hub …`: signing in through another installation. */
export const hubCommand = defineCommand({
  meta: { name: 'hub', description: 'Sign-in through an identity hub: check.' },
  subCommands: { check },
})

function write(result: { status: string }, lines: string[], isJson: boolean | undefined): number {
  process.stdout.write(`${isJson ? JSON.stringify(result, null, 2) : lines.join('\n')}\n`)
  return result.status === 'failed' ? 1 : 0
}

// 0: right or off; 1: something is not right; 2: the settings cannot be read.
async function reporting(work: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await work()
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : 'This did not work.'}\n`)
    process.exitCode = 2
  }
}

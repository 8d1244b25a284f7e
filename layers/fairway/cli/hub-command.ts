import { defineCommand } from 'citty'
import { endWith, say, tellFailure } from './terminal'

const check = defineCommand({
  meta: { name: 'check', description: 'Check both sides of signing in through an identity hub.' },
  args: {
    'as-hub': { type: 'boolean', description: 'Say which applications this one knows as a hub.' },
    json: { type: 'boolean', description: 'Write one JSON object.' },
  },
  // 0: correct or off; 1: a check failed; 2: the settings cannot be read.
  run: ({ args }) =>
    endWith(
      async () => {
        const { describeRegistry, hubReport, offlineApp, reportLines } = await import('./hub-checks')
        const app = offlineApp(process.env)
        if (args['as-hub']) {
          const { lines, ...registry } = describeRegistry(app.config)
          return write(registry, lines, args.json)
        }
        const report = await hubReport(app, process.env.FW_IDENTITY_HUB_URL)
        return write(report, reportLines(report), args.json)
      },
      thrown => tellFailure(thrown, 2),
    ),
})

/** `fw hub …`: signing in through another installation. */
export const hubCommand = defineCommand({
  meta: { name: 'hub', description: 'Sign-in through an identity hub: check.' },
  subCommands: { check },
})

function write(result: { status: string }, lines: string[], isJson: boolean | undefined): number {
  say(isJson ? JSON.stringify(result, null, 2) : lines.join('\n'))
  return result.status === 'failed' ? 1 : 0
}

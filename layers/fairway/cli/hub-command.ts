import { defineCommand } from 'citty'
import type { Config } from '../server/kernel/config/config'
import type { HubApp } from '../server/kernel/config/identity-registry'
import { hubReport, reportLines, offlineApp } from './hub-checks'
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

interface RegistryReport {
  status: 'ok' | 'failed' | 'off'
  apps: readonly HubApp[]
  /** Whether applications on this machine require no registration. */
  acceptsLoopback: boolean
  /** The parts of the settings that are ignored. */
  notices: string[]
  /** The same, formatted for people. */
  lines: string[]
}

const OF_A_HUB = /^(IDENTITY_SSO_APP_REGISTRY_JSON|A2A_SECRET|FW_IDENTITY_HUB_URL):/

/** Returns the applications that this hub knows from its settings, and the ignored parts of these settings. */
export function describeRegistry({ identity, baseUrl, notices: all }: Config): RegistryReport {
  const notices = all.filter(notice => OF_A_HUB.test(notice))
  const { hub } = identity
  const apps = hub?.apps ?? []
  const acceptsLoopback = hub?.acceptsLoopback ?? false
  const status = notices.length > 0 ? 'failed' : hub ? 'ok' : 'off'
  const lines = [
    hub
      ? `${baseUrl} is an identity hub for ${apps.length} ${apps.length === 1 ? 'application' : 'applications'}.`
      : `${baseUrl} is no identity hub: that needs A2A_SECRET and a registered application.`,
    ...apps.map(describeApp),
    ...(acceptsLoopback ? ['✓ any application on this machine (development)'] : []),
    ...notices.map(notice => `✗ ${notice}`),
  ]
  return { status, apps, acceptsLoopback, notices, lines }
}

const describeApp = ({ appId, clientId, origin, callbackPath, isCanonical }: HubApp): string =>
  `✓ ${appId}: client ${clientId}, ${origin}${callbackPath}${isCanonical ? ' (declared in fw.config.ts)' : ''}`

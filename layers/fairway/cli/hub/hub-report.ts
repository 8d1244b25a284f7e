import { type Check, checkHub } from './hub-checks'
import type { OfflineApp } from './offline-app'

/** What came of a check: `off` where nothing is configured, which is no fault. */
export interface HubReport {
  status: 'ok' | 'failed' | 'off'
  text: string
  checks: Check[]
}

/** Whether people can sign in here through the hub that FW_IDENTITY_HUB_URL names; asks the hub and this application itself. */
export async function hubReport(app: OfflineApp, hubUrl: string | undefined): Promise<HubReport> {
  const { identity, baseUrl, notices } = app.config
  const without = (status: HubReport['status'], text: string): HubReport => ({ status, text, checks: [] })
  if (!hubUrl) return without('off', 'FW_IDENTITY_HUB_URL is not set: signing in through a hub is off.')
  const fault = notices.find(notice => /^(FW_IDENTITY_HUB_URL|A2A_SECRET):/.test(notice))
  if (fault) return without('failed', fault)
  if (!identity.client || identity.client.isDesktopOnly) {
    return without('off', `FW_IDENTITY_HUB_URL is this application itself (${baseUrl}): it is the hub. Use --as-hub.`)
  }
  const checks = await checkHub(app, identity.client)
  const failed = checks.filter(({ isRight }) => isRight === false)
  return failed.length === 0
    ? { status: 'ok', text: 'People can sign in through the hub.', checks }
    : { status: 'failed', text: `${failed.length} of ${checks.length} are not right.`, checks }
}

/** The same for people: a line for each thing, and what to do below it. */
export const reportLines = ({ text, checks }: HubReport): string[] => [
  ...checks.flatMap(({ name, isRight, text: found, todo }) => [
    `${isRight === null ? '–' : isRight ? '✓' : '✗'} ${name}: ${found}`,
    ...(todo ? [`    ${todo}`] : []),
  ]),
  text,
]

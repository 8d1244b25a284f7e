import { hostNames } from '#fairway/server/domains/oauth-server'
import type { App } from '#fairway/server/kernel/app-context'
import type { AuditEntry } from '#fairway/shared/schemas/audit'

/** An answer with audit rows, and what the MCP hosts in them are called: the log knows their ids alone. */
export async function withHosts<Answer extends { entries: readonly AuditEntry[] }>(app: App, answer: Answer) {
  const ids = answer.entries.flatMap(({ caller, via }) => (caller === 'mcp' && via !== null ? [via] : []))
  return { ...answer, hosts: await hostNames(app, [...new Set(ids)]) }
}

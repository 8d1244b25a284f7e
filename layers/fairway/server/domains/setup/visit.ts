// A visit of the IT contact: what it reads, and what each change leaves behind.
import { recordAudit } from '#fairway/server/domains/actions'
import { findDirectory } from '#fairway/server/domains/directory'
import {
  findConnection,
  getSessionPolicy,
  listDomains,
  listManagers,
  mailName,
  toConnection,
  orgUrl,
} from '#fairway/server/domains/organizations'
import { notifyPeople } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import type { AppError } from '#fairway/server/kernel/http/app-error'
import type { RequestInfo } from '#fairway/server/kernel/http/request-info'
import { fill, type Messages, messagesOf } from '#fairway/server/kernel/messages'
import type { Language } from '#fairway/shared/languages'
import { SINGLE_SIGN_ON_PAGE } from '#fairway/shared/paths'
import type { ProvedDomain, SeenRecord } from '#fairway/shared/schemas/domain'
import type { OpenLink } from './links'
import { proposalsOf } from './proposals'

export interface SetupVisit extends RequestInfo {
  link: OpenLink
  language: Language
  requestId: string
}

/** The fields of a form that the contact sent. */
export type SetupForm = Readonly<Record<string, string | undefined>>

/** What one answer shows besides what is stored. */
export interface Shown {
  /** The step of the form that was refused, with its error and what was typed. */
  refused?: { intent: string; error: AppError; form: SetupForm }
  /** A domain with what the DNS answered. */
  checked?: ProvedDomain & { seen: SeenRecord }
  /** The directory's address and token, once. */
  directory?: { endpoint: string; token: string }
  /** How the test ended that the browser comes back from: `tested`, or the code of its failure. */
  test?: string
}

/** What the contact prepares. It says nothing about members. */
export async function readSetup(app: App, link: OpenLink) {
  const { orgId, connectionId } = link
  const [domains, row, directory, policy, proposals] = await Promise.all([
    listDomains(app, orgId),
    connectionId === null ? undefined : findConnection(app, connectionId),
    findDirectory(app, orgId),
    getSessionPolicy(app, { orgId }),
    proposalsOf(app, link.id),
  ])
  const connection = row?.orgId === orgId ? toConnection(app, row) : undefined
  return { link, domains, connection, directory, policy, proposals }
}
export type Setup = Awaited<ReturnType<typeof readSetup>>

/** Who acts for the rows that need an account: the person who sent the link. */
export const actorOf = ({ orgId, makerId: userId }: OpenLink) => ({ orgId, userId })

interface Change {
  /** The name of the audit row: that of the operation that does the same. */
  action: string
  /** What the row keeps. */
  facts?: Record<string, unknown>
  /** The sentence for the owners; without it they get no mail. */
  told?: keyof Messages['setup']['changes']
}

/** Leaves an audit row with the contact's address, and tells the owners. */
export async function noteChange(app: App, visit: SetupVisit, { action, facts = {}, told }: Change): Promise<void> {
  const { link, requestId } = visit
  const { orgId, orgName, email } = link
  const row = { action, caller: 'http', session: null, requestId, input: facts, keeps: Object.keys(facts) } as const
  await recordAudit(app, { ...row, visitedOrgId: orgId, visitorEmail: email })
  if (!told) return
  const organization = mailName(orgName, app.config.name)
  const href = await orgUrl(app, orgId, SINGLE_SIGN_ON_PAGE)
  const addresses = await listManagers(app, orgId, ['owner'])
  await notifyPeople(app, { orgId, addresses }, 'setup-changed', language => {
    const what = fill(messagesOf(language).setup.changes[told], textsIn(facts))
    return { values: { organization, who: email, what }, href }
  })
}

const textsIn = (facts: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(facts).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  )

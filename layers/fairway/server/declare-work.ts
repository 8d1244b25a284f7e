// Declares work outside requests: jobs and mails, and the context of jobs.
import { type CatalogEntry, declareActions, runNamed } from '#fairway/server/domains/actions'
import { readBytes } from '#fairway/server/domains/files'
import { sendMailOf } from '#fairway/server/domains/mails'
import { listAllMembers, OPEN_ORGANIZATIONS, orgUrl } from '#fairway/server/domains/organizations'
import { findPage, type ShellPage } from '#fairway/server/domains/pages'
import { actAs, actAsServiceAccount, sessionOfActing } from '#fairway/server/domains/sessions'
import type { App } from '#fairway/server/kernel/app-context'
import { newRequestId } from '#fairway/server/kernel/crypto/random'
import { withRun } from '#fairway/server/kernel/current-run'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { isServedPath } from '#fairway/server/kernel/http/request-info'
import { setMailFiles } from '#fairway/server/kernel/mail/attachments'
import type { MailEntry } from '#fairway/server/kernel/mail/define-mail'
import { declareMails, setMailAddress } from '#fairway/server/kernel/mail/mail-content'
import {
  type ActingPerson,
  declareJobs,
  type JobContext,
  type JobEntry,
  setJobSurroundings,
} from '#fairway/server/kernel/jobs'

interface Work {
  jobs: readonly JobEntry[]
  mails: readonly MailEntry[]
  /** Loaded when a job or a route first runs one. */
  actions: () => Promise<readonly CatalogEntry[]>
  /** For the links of mails to pages that are shown in an organization. */
  pages?: readonly ShellPage[]
}

/** Declares the application's jobs and mails. */
export function declareWork(app: App, { jobs, mails, actions, pages = [] }: Work): void {
  declareJobs(app, jobs)
  declareMails(app, mails)
  setMailAddress(app, async (href, orgId) => {
    const { origin, pathname, search, hash } = new URL(href)
    // Public pages are also for people outside of the organization.
    const isInOrg = origin === app.config.baseUrl && isPrivatePage(app, pathname, pages)
    return isInOrg ? orgUrl(app, orgId, pathname + search + hash) : href
  })
  declareActions(app, actions)
  setMailFiles(app, async id => {
    const bytes = await readBytes(app, id)
    return bytes ? Buffer.concat(await Array.fromAsync(bytes)) : undefined
  })
  setJobSurroundings(app, {
    organizations: OPEN_ORGANIZATIONS,
    makeExtras: job => ({
      mail: (name, mail) => sendMailOf(app, app.db.orm, name, mail),
      members: filter => listAllMembers(app, job.orgId, filter),
      async as(person, { orgId = job.orgId } = {}) {
        const account = 'userId' in person ? await actAsServiceAccount(app, person.userId) : undefined
        const acting = account ?? (await actAs(app, person, { provider: 'job', ...(orgId !== null && { orgId }) }))
        const session = sessionOfActing(acting)
        if (!session || (account && session.orgId !== orgId)) throw new AppError('unknown-person')
        return personOf(app, { ...job, session })
      },
    }),
  })
}

function isPrivatePage(app: App, pathname: string, pages: readonly ShellPage[]): boolean {
  const { kind, status } = findPage(pathname, pages)
  return kind === 'private' && status === 200 && !isServedPath(app, pathname)
}

type ActingJob = Pick<JobContext, 'signal'> & { name: string; session: ActingPerson['session'] }

const personOf = (app: App, { name: via, signal, session }: ActingJob): ActingPerson => ({
  session,
  within: work => withRun({ app, session }, work),
  run: (name: string, input: unknown) =>
    runNamed(app, { name, input, session, signal, via, requestId: newRequestId(), caller: 'job' }),
})

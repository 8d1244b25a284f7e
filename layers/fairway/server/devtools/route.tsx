/** @jsxImportSource vue */
// Served only by development servers (modules/devtools): a build contains no file of this folder.
import { appendResponseHeader, defineEventHandler, getQuery, type H3Event, sendRedirect, setResponseHeaders } from 'h3'
import { z } from 'zod'
import { catalog as jobs } from '#fw/jobs'
import { listEveryone } from '#fairway/server/domains/organizations'
import { findPerson, mintSession } from '#fairway/server/domains/people'
import { getSession } from '#fairway/server/domains/sessions'
import { type App, getApp } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { checkOwnPage } from '#fairway/server/kernel/http/check-origin'
import { cookieValues, setCookieValue } from '#fairway/server/kernel/http/cookie'
import { checkOwnMachine } from '#fairway/server/kernel/http/own-machine'
import { readFormBody } from '#fairway/server/kernel/http/read-input'
import { requestInfo, requestPath } from '#fairway/server/kernel/http/request-info'
import { listJobs } from '#fairway/server/kernel/jobs'
import { listOutbox } from '#fairway/server/kernel/mail/mailer'
import { DEVTOOLS_PATH } from '#fairway/shared/paths'
import { pathOf, renderFrame, type View, VIEWS } from './frame'
import { actOnJob, JOBS_ACT_PATH, jobsView } from './jobs-view'
import { Become, BECOME_PATH, mailsView, peopleView } from './people-views'
import { recordingOf } from './recording'
import { denialsView, requestsView } from './request-views'
import { tablesView, tableView } from './table-views'
import { listTables, readTable } from './tables'

/**
 * Serves the development server's own pages, and lets a developer become one of its people. Throws `forbidden` except for this
 * machine's browser.
 */
export default defineEventHandler(async event => {
  const { config } = getApp(event)
  checkOwnMachine(event.node.req, config)
  checkOwnPage(event.node.req, config.baseUrl)
  const path = requestPath(event)
  if (path === BECOME_PATH || path === JOBS_ACT_PATH) {
    if (event.method !== 'POST') throw new AppError('method-not-allowed', { headers: { allow: 'POST' } })
    return path === BECOME_PATH ? become(event) : act(event)
  }
  if (event.method !== 'GET') throw new AppError('method-not-allowed', { headers: { allow: 'GET' } })
  if (path === DEVTOOLS_PATH) return sendRedirect(event, pathOf('requests'), 302)
  const [view = '', name] = path.slice(DEVTOOLS_PATH.length + 1).split('/')
  const known = VIEWS.find(each => each === view)
  if (!known) throw new AppError('not-found')
  return show(event, known, name)
})

const querySchema = z.object({
  q: z.string().max(200).catch(''),
  page: z.coerce.number().int().min(1).max(1_000_000).catch(1),
})

interface Asked {
  app: App
  search: string
  page: number
  /** The requested table. */
  name?: string
  own?: string
}

async function show(event: H3Event, view: View, name: string | undefined): Promise<string> {
  const app = getApp(event)
  const { q: search, page } = querySchema.parse(getQuery(event))
  const session = await getSession(event)
  const body = await bodies[view]({ app, search, page, name, own: session?.userId })
  const recording = recordingOf(app)
  const { html, policy } = await renderFrame({
    view,
    title: view,
    search,
    counts: { requests: recording.requests().length, denials: recording.denials().length },
    product: app.config.name,
    who: await whoIs(event, app, session),
    body,
  })
  setResponseHeaders(event, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store',
  })
  return html
}

const bodies = {
  requests: async ({ app, search }: Asked) => requestsView(recordingOf(app).requests(), search),
  denials: async ({ app, search }: Asked) => denialsView(recordingOf(app).denials(), search),
  jobs: async ({ app, search }: Asked) => jobsView(jobs, (await listJobs(app, {})).jobs, search),
  people: async ({ app, search, own }: Asked) => peopleView(await listEveryone(app), search, own),
  async tables({ app, search, page, name }: Asked) {
    if (name === undefined) return tablesView(await listTables(app), search)
    const table = await readTable(app, decodeURIComponent(name), { page, search })
    if (!table) throw new AppError('not-found')
    return tableView(table, { page, search })
  },
  async mails({ app, search }: Asked) {
    const { outbox, showsOutbox } = app.config.mail
    return mailsView(outbox && showsOutbox ? await listOutbox(outbox) : [], search, !showsOutbox)
  },
}

const BACK = 'fw_devtools_back'
const BACK_LIFE_IN_SECONDS = 24 * 60 * 60

async function whoIs(event: H3Event, app: App, session: Awaited<ReturnType<typeof getSession>>) {
  const [back] = cookieValues(app.config, BACK, event.node.req.headers.cookie)
  const before = back && back !== session?.userId ? await findPerson(app, { userId: back }) : undefined
  const place = session?.orgName ? ` · ${session.orgRole} in ${session.orgName}` : ''
  return (
    <>
      <span>{session ? `You are ${session.email}${place}` : 'Signed out'}</span>
      {before ? <Become userId={before.userId} text={`Back to ${before.name}`} name={before.name} /> : null}
    </>
  )
}

const actSchema = z.object({ run: z.string().max(200).optional(), retry: z.string().max(200).optional() })

async function act(event: H3Event): Promise<unknown> {
  await actOnJob(getApp(event), jobs, actSchema.parse(await readFormBody(event)))
  return sendRedirect(event, pathOf('jobs'), 303)
}

const becomeSchema = z.object({ userId: z.string().min(1).max(200) })

/** Creates an ordinary session of this person for this browser, and remembers the previous person for the way back. */
async function become(event: H3Event): Promise<unknown> {
  const app = getApp(event)
  const { userId } = becomeSchema.parse(await readFormBody(event))
  const person = await findPerson(app, { userId })
  if (!person) throw new AppError('not-found')
  const session = await getSession(event)
  const { clientAddress: ipAddress, userAgent } = requestInfo(event)
  // With the provider of the development account, so that no mail about a new device is sent.
  const { cookie } = await mintSession(app, { ...person, provider: 'dev', provesAddress: false, ipAddress, userAgent })
  appendResponseHeader(event, 'set-cookie', cookie)
  const [back] = cookieValues(app.config, BACK, event.node.req.headers.cookie)
  const before = back ?? session?.userId
  const isBack = before === undefined || before === userId
  appendResponseHeader(
    event,
    'set-cookie',
    setCookieValue(app.config, BACK, isBack ? '' : before, isBack ? 0 : BACK_LIFE_IN_SECONDS),
  )
  app.log.info('this browser became another person', { userId })
  return sendRedirect(event, pathOf('people'), 303)
}

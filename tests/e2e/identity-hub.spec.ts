import { createHash } from 'node:crypto'
import { type Page, test as base, expect } from '@playwright/test'
import { expectNoViolations } from '../support/accessibility'
import { aPerson, runAction, signUp } from '../support/people'
import { query } from '../support/query'
import { startServer, type TestServer } from '../support/server'
import { startWorkspace, type Workspace } from '../support/workspace'

const ada = aPerson()

/** A hub and two applications: real servers, each with a separate database and origin. */
const test = base.extend<{ workspace: Workspace }>({
  // eslint-disable-next-line no-empty-pattern -- Playwright reads the fixtures' names from this pattern
  workspace: async ({}, use) => {
    const workspace = await startWorkspace()
    await use(workspace)
    await workspace.stop()
  },
})

const confirm = (server: TestServer, email: string) =>
  query(server, 'update users set email_verified = 1 where email = ?', [email])

/** Creates a confirmed account on a server; this browser is not signed in to it. */
async function aConfirmed(page: Page, server: TestServer, person = ada): Promise<void> {
  await signUp(page, server.origin, person)
  await confirm(server, person.email)
  await page.context().clearCookies()
}

/** Fills in the hub's sign-in page. */
async function signInAtHub(page: Page, { hub }: Workspace, person = ada): Promise<void> {
  await page.waitForURL(`${hub.origin}/sign-in?**`)
  await page.locator('#sign-in input[type=email]').fill(person.email)
  await page.locator('#sign-in input[type=password]').fill(person.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

const throughHub = (page: Page, { hub }: Workspace) =>
  page.getByRole('button', { name: `Continue with ${new URL(hub.origin).host}` })

const sessionAt = async (page: Page, origin: string) =>
  (await (await page.request.get(`${origin}/_fw/session`)).json()).session

/** One hash for each row of each table. */
async function rowHashes(server: TestServer): Promise<Map<string, string[]>> {
  const tables = await query(server, `select name from sqlite_master where type = 'table' and name not like 'sqlite_%'`)
  const hashes = new Map<string, string[]>()
  for (const { name } of tables) {
    const rows = await query(server, `select * from "${String(name)}"`)
    const texts = rows.map(row => createHash('sha256').update(JSON.stringify(row)).digest('hex'))
    hashes.set(String(name), texts.toSorted())
  }
  return hashes
}

test('one sign-in at the hub opens both applications at the requested pages', async ({ page, workspace }) => {
  await aConfirmed(page, workspace.hub)
  const [mail, docs] = [workspace.app('mail'), workspace.app('docs')]
  await page.goto(`${mail.origin}/notes?page=2`)
  await throughHub(page, workspace).click()
  await signInAtHub(page, workspace)
  await page.waitForURL(`${mail.origin}/notes?page=2`)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Notes')
  expect(await sessionAt(page, mail.origin)).toMatchObject({ email: ada.email, emailVerified: true, provider: 'hub' })

  // The browser is signed in at the hub now, so the second application shows no form.
  await page.goto(`${docs.origin}/team`)
  await throughHub(page, workspace).click()
  await page.waitForURL(`${docs.origin}/team`)
  expect(await sessionAt(page, docs.origin)).toMatchObject({ email: ada.email, provider: 'hub' })
})

test('hub sign-in returns to an existing account without changing its rows', async ({ page, workspace }) => {
  const mail = workspace.app('mail')
  await aConfirmed(page, workspace.hub)
  await signUp(page, mail.origin)
  await confirm(mail.server, ada.email)
  await runAction(page, mail.origin, 'create-note', { title: 'Before the hub', text: '' })
  await page.context().clearCookies()
  // The audit log seals its rows a moment after they are written.
  const unsealed = () => query(mail.server, 'select id from audit_log where seq is null')
  await expect.poll(unsealed).toEqual([])
  const before = await rowHashes(mail.server)
  const [person] = await query(mail.server, 'select id from users where email = ?', [ada.email])

  await page.goto(`${mail.origin}/notes`)
  await throughHub(page, workspace).click()
  await signInAtHub(page, workspace)
  await page.waitForURL(`${mail.origin}/notes`)
  await expect(page.getByText('Before the hub')).toBeVisible()
  expect(await sessionAt(page, mail.origin)).toMatchObject({ userId: person?.id })

  const after = await rowHashes(mail.server)
  // Earlier rows are unchanged. The new rows are a session, a link and records of the sign-in.
  const grown: string[] = []
  for (const [table, rows] of before) {
    const now = after.get(table) ?? []
    // A sign-in updates `known_devices`, which is not part of the account.
    if (table !== 'known_devices') expect(now, table).toEqual(expect.arrayContaining(rows))
    if (now.length > rows.length) grown.push(table)
  }
  expect(grown).toEqual(expect.arrayContaining(['sessions', 'accounts', 'fw_one_time']))
  expect(grown).not.toContain('users')
  expect(grown).not.toContain('org_members')
})

test('no URL that the browser visits contains a token or an assertion', async ({ page, workspace }) => {
  const visited: string[] = []
  page.on('request', request => {
    visited.push(request.url(), request.headers().referer ?? '', request.postData() ?? '')
  })
  await aConfirmed(page, workspace.hub)
  await page.goto(`${workspace.app('docs').origin}/`)
  await throughHub(page, workspace).click()
  await signInAtHub(page, workspace)
  await page.waitForURL(`${workspace.app('docs').origin}/`)
  const callback = visited.find(url => url.startsWith(workspace.app('docs').callbackUrl))
  expect([...new URL(callback ?? '').searchParams.keys()].toSorted()).toEqual(['code', 'state'])
  expect(visited.filter(text => /eyJ[\w-]+\.[\w-]+\./.test(text))).toEqual([])
  expect(visited.filter(text => /assertion|code_verifier|access_token|id_token/.test(text))).toEqual([])
})

test('the owner of an address takes over a squatted account and ends the squatter’s access', async ({
  page,
  browser,
  workspace,
}) => {
  const mail = workspace.app('mail')
  await aConfirmed(page, workspace.hub)
  const squatter = await browser.newPage()
  await signUp(squatter, mail.origin, { ...ada, password: 'another lantern 99 squat' })
  await page.goto(`${mail.origin}/notes`)
  await expect(throughHub(page, workspace)).toBeVisible()
  await expectNoViolations(page)
  await throughHub(page, workspace).click()
  await page.waitForURL(`${workspace.hub.origin}/sign-in?**`)
  await expectNoViolations(page)
  await signInAtHub(page, workspace)
  await page.waitForURL(`${mail.origin}/_fw/claim?return=%2Fnotes`)
  await expectNoViolations(page)
  expect(await sessionAt(page, mail.origin)).toMatchObject({ email: ada.email, emailVerified: true })
  await page.getByRole('button', { name: 'Remove other access' }).click()
  await page.waitForURL(`${mail.origin}/notes`)
  expect(await sessionAt(squatter, mail.origin)).toBeNull()
  const again = await squatter.request.post(`${mail.origin}/_fw/auth/sign-in/email`, {
    data: { email: ada.email, password: 'another lantern 99 squat' },
    headers: { origin: mail.origin },
  })
  expect(again.status()).toBe(401)
})

test('the application reports an unavailable hub, and its own sign-in works', async ({ page, workspace }) => {
  const mail = workspace.app('mail')
  await aConfirmed(page, workspace.hub)
  await signUp(page, mail.origin)
  await page.context().clearCookies()
  await page.goto(`${mail.origin}/notes`)
  await throughHub(page, workspace).click()
  await page.waitForURL(`${workspace.hub.origin}/sign-in?**`)
  // The hub goes down while the code is on its way.
  const authorize = workspace.hub.origin + (new URL(page.url()).searchParams.get('return') ?? '')
  const { email, password } = ada
  await page.request.post(`${workspace.hub.origin}/_fw/auth/sign-in/email`, {
    data: { email, password },
    headers: { origin: workspace.hub.origin },
  })
  const withCode = await page.request.get(authorize, { maxRedirects: 0 })
  await workspace.hub.kill()
  await page.goto(withCode.headers().location ?? '')
  await page.waitForURL(`${mail.origin}/sign-in?error=**`)
  await expect(page.getByRole('alert')).toBeVisible()
  await expectNoViolations(page)
  await page.locator('#sign-in input[type=email]').fill(ada.email)
  await page.locator('#sign-in input[type=password]').fill(ada.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL(`${mail.origin}/notes`)
})

test('removing the hub variable removes the sign-in option and keeps accounts and sessions', async ({ browser }) => {
  const workspace = await startWorkspace({ ids: ['mail'] })
  const mail = workspace.app('mail')
  const page = await browser.newPage()
  try {
    await aConfirmed(page, workspace.hub)
    await page.goto(`${mail.origin}/notes`)
    await throughHub(page, workspace).click()
    await signInAtHub(page, workspace)
    await page.waitForURL(`${mail.origin}/notes`)
    const port = new URL(mail.origin).port
    await mail.server.kill()
    const without = await startServer({
      host: new URL(mail.origin).hostname,
      env: { PORT: port, FW_DATA_DIR: mail.server.dataDir },
    })
    try {
      expect(await sessionAt(page, mail.origin)).toMatchObject({ email: ada.email })
      await page.context().clearCookies()
      await page.goto(`${mail.origin}/sign-in`)
      await expect(throughHub(page, workspace)).toHaveCount(0)
      expect((await page.request.get(`${mail.origin}/_fw/identity/login`)).status()).toBe(404)
    } finally {
      await without.stop()
    }
  } finally {
    await page.close()
    await workspace.hub.stop()
  }
})

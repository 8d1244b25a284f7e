import { type Page, test as base, expect } from '@playwright/test'
import { expectNoViolations } from '../support/accessibility'
import { aPerson, signUp } from '../support/people'
import { confirmAddress } from '../support/query'
import type { TestServer } from '../support/server'
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

/** Creates a confirmed account on a server; this browser is not signed in to it. */
async function aConfirmed(page: Page, server: TestServer, person = ada): Promise<void> {
  await signUp(page, server.origin, person)
  await confirmAddress(server, person.email)
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

test('one sign-in at the hub opens both applications at the requested pages, and no URL that the browser visits contains a token or an assertion', async ({
  page,
  workspace,
}) => {
  const visited: string[] = []
  page.on('request', request => {
    visited.push(request.url(), request.headers().referer ?? '', request.postData() ?? '')
  })
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

  const callback = visited.find(url => url.startsWith(docs.callbackUrl))
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

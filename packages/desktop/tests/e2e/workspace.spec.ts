import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, type Page, test as base, expect } from '@playwright/test'
import { appPartition, type Broker, createBroker, type DesktopApp, type DesktopStatus, HUB_PARTITION } from '../../src'
import { attach } from '../../src/program/attach'
import { createTestHost, type TestHost } from '../support/contexts'
import { aPerson, signUp } from '../../../../tests/support/people'
import { query } from '../../../../tests/support/query'
import { startWorkspace, type Workspace } from '../../../../tests/support/workspace'

const ada = aPerson()
const ids = ['mail', 'docs']

interface Shell {
  host: TestHost
  broker: Broker
  /** Every message between pages and the broker. */
  messages: unknown[]
  last(): DesktopStatus | undefined
}

/** A real hub, two real applications, and the desktop program's host, which shows them in separate partitions. */
const test = base.extend<{ workspace: Workspace; shell: Shell }>({
  // eslint-disable-next-line no-empty-pattern -- Playwright reads the fixtures' names from this pattern
  workspace: async ({}, use) => {
    const workspace = await startWorkspace({ ids, hubEnv: { FW_OPERATORS: ada.email } })
    await use(workspace)
    await workspace.stop()
  },
  shell: async ({ browser, workspace }, use) => {
    const page = await browser.newPage()
    await signUp(page, workspace.hub.origin, ada)
    await query(workspace.hub, 'update users set email_verified = 1 where email = ?', [ada.email])
    await page.close()
    const shell = createShell(workspace, browser)
    await use(shell)
    shell.broker.stop()
    await shell.host.close()
  },
})

function createShell(workspace: Workspace, browser: Browser): Shell {
  const folder = mkdtempSync(join(tmpdir(), 'fw-desktop-'))
  const host = createTestHost(browser, { preferencesFile: join(folder, 'preferences.json'), version: '1.0.0' })
  const apps = workspace.apps.map(({ id, origin }): DesktopApp => ({
    id,
    name: id,
    origin,
    mode: 'production',
    isEnabled: true,
    workspaceSso: true,
  }))
  const broker = createBroker({ host, hub: workspace.hub.origin, apps, allowLoopback: true })
  const messages: unknown[] = []
  const held: { status?: DesktopStatus } = {}
  broker.onStatus(status => {
    messages.push(status)
    held.status = status
  })
  return { host, broker, messages, last: () => held.status }
}

/** Switches the feature on as the operator does: signed in at the hub, in a separate browser. */
async function switchOn(workspace: Workspace, page: Page, available = true): Promise<void> {
  const { origin } = workspace.hub
  const { email, password } = ada
  await page.request.post(`${origin}/_fw/auth/sign-in/email`, { data: { email, password }, headers: { origin } })
  const answer = await page.request.put(`${origin}/_fw/desktop/availability`, {
    data: { available },
    headers: { origin },
  })
  expect(answer.ok()).toBe(true)
}

/** Signs in and continues in the window that the broker opens. */
async function signInInWindow({ host }: Shell): Promise<void> {
  const context = await host.context(HUB_PARTITION)
  const window = context.pages().at(-1) ?? (await context.waitForEvent('page'))
  await window.locator('#sign-in input[type=email]').fill(ada.email)
  await window.locator('#sign-in input[type=password]').fill(ada.password)
  await window.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(window.getByText(ada.email).first()).toBeVisible()
  await window.getByRole('button', { name: /continue/i }).click()
}

const sessionIn = async ({ host }: Shell, workspace: Workspace, id: string) => {
  const context = await host.context(appPartition(id))
  return (await (await context.request.get(`${workspace.app(id).origin}/_fw/session`)).json()).session
}

/** Every cookie value in any partition. */
async function cookieValues({ host }: Shell): Promise<string[]> {
  const partitions = [HUB_PARTITION, ...ids.map(id => appPartition(id))]
  const cookies = await Promise.all(partitions.map(async name => (await host.context(name)).cookies()))
  return cookies.flat().map(({ value }) => value)
}

test('one hub ceremony signs in to every application, the settings list them, and messages contain no cookie values', async ({
  page,
  workspace,
  shell,
}) => {
  await switchOn(workspace, page)
  await shell.broker.start()
  // The settings page belongs to an application in the shell, which first shows its usual sign-in page.
  const mail = workspace.app('mail')
  const context = await shell.host.context(appPartition('mail'))
  await attach(context, shell.broker)
  const settings = await context.newPage()
  await settings.goto(`${mail.origin}/settings`)
  await settings.waitForURL(`${mail.origin}/sign-in?return=%2Fsettings`)
  const ceremony = shell.broker.handle({ type: 'sign-in' })
  await signInInWindow(shell)
  expect(await ceremony).toMatchObject({ ok: true, status: { state: 'signed-in', email: ada.email } })
  for (const id of ids)
    expect(await sessionIn(shell, workspace, id)).toMatchObject({ email: ada.email, provider: 'hub' })

  await settings.goto(`${mail.origin}/settings/desktop`)
  const card = settings
    .getByRole('region', { name: /workspace/i })
    .or(settings.locator('#workspace'))
    .first()
  await card.scrollIntoViewIfNeeded()
  await expect(settings.getByText('docs', { exact: true }).first()).toBeVisible()

  // No message contains a cookie value.
  const crossed = JSON.stringify(shell.messages)
  const values = await cookieValues(shell)
  expect(values.length).toBeGreaterThan(2)
  for (const value of values) expect(crossed).not.toContain(value)
})

test('the broker does nothing while the hub has it switched off, and applications need separate sign-ins', async ({
  workspace,
  shell,
}) => {
  await shell.broker.start()
  expect(await shell.broker.handle({ type: 'sign-in' })).toEqual({ ok: false, code: 'switched-off' })
  const mail = workspace.app('mail')
  const context = await shell.host.context(appPartition('mail'))
  await context.request.post(`${mail.origin}/_fw/auth/sign-up/email`, { data: ada, headers: { origin: mail.origin } })
  await attach(context, shell.broker)
  const settings = await context.newPage()
  await settings.goto(`${mail.origin}/settings`)
  await expect(settings.getByRole('heading', { level: 1 })).toBeVisible()
  expect(await sessionIn(shell, workspace, 'docs')).toBeNull()
})

test('logs of the hub and applications contain no JWT and no cookie value', async ({ page, workspace, shell }) => {
  await switchOn(workspace, page)
  await shell.broker.start()
  const ceremony = shell.broker.handle({ type: 'sign-in' })
  await signInInWindow(shell)
  await ceremony
  const logs = [workspace.hub, ...workspace.apps.map(({ server }) => server)].map(server => server.log()).join('\n')
  expect(logs).not.toMatch(/eyJ[\w-]+\./)
  for (const value of await cookieValues(shell)) expect(logs).not.toContain(value)
})

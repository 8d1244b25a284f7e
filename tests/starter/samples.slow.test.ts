import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, expect as expectPage, type Page } from '@playwright/test'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { chromiumFlags, findChromium } from '../../scripts/chromium.mjs'
import { startSmtp } from '../support/mail'
import { expectNothingCutOff, expectNoViolations } from '../support/accessibility'
import { signUp as signUpByRequest, signUpByForm } from '../support/people'
import { query } from '../support/query'
import { emptyFolder, packLayer, runOk, type Running, settingsOf, startScript } from './project'

// Builds the sample applications from the packed platform and uses their production builds in a browser.
const place = emptyFolder()
const exampleOf = (name: string) => fileURLToPath(new URL(`../../examples/${name}`, import.meta.url))

let tarball: string
let browser: Browser
let mails: Awaited<ReturnType<typeof startSmtp>>

function start(project: string, port: number): Promise<Running> {
  const origin = `http://localhost:${port}`
  return startScript(project, 'start', origin, {
    ...settingsOf(origin, join(project, 'data')),
    SMTP_URL: mails.url,
    EMAIL_FROM: 'Samples <no-reply@example.test>',
  })
}

/** Creates an empty project that has the packages of the notes sample, because they are the same. */
async function createEmpty(name: string): Promise<void> {
  const made = ['new', name, '--sample', 'empty', '--no-install', '--package', tarball]
  const modules = join(place, 'notes/node_modules')
  await runOk(place, process.execPath, join(modules, 'nuxt-fairway/cli/fw.mjs'), ...made)
  await runOk(join(place, name), 'cp', '-a', modules, '.')
}

/** Creates an account on the way to a page. */
async function signUp(page: Page, url: string): Promise<void> {
  await page.goto(url)
  await signUpByForm(page)
}

beforeAll(async () => {
  tarball = await packLayer(place)
  mails = await startSmtp({ port: 4642 })
  browser = await chromium.launch({ executablePath: findChromium(), args: chromiumFlags })
})
afterAll(async () => {
  await browser?.close()
  await mails?.stop()
})

describe('the notes sample', () => {
  const project = join(place, 'notes')
  let server: Running | undefined
  afterAll(() => server?.stop())

  it('is created, built and type-checked', async () => {
    const made = ['nuxt-fairway', 'new', 'notes', '--sample', 'notes', '--package', tarball]
    await runOk(place, 'npx', '--yes', '--package', tarball, '--', ...made)
    // A deployment installs by the lockfile, which npm refuses if it contradicts the overrides.
    await runOk(project, 'npm', 'ci', '--dry-run')
    await runOk(project, 'npm', 'run', 'build')
    await runOk(project, 'npm', 'run', 'types')
  })

  it('lists the note of a person who signed up', async () => {
    server = await start(project, 4640)
    const page = await browser.newPage()
    await signUp(page, 'http://localhost:4640/notes')
    await page.getByRole('button', { name: 'New note' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Title' }).fill('Buy paint')
    await dialog.getByRole('button', { name: 'Create' }).click()
    await expectPage(page.getByRole('link', { name: 'Buy paint' })).toBeVisible()
    expect(server.log()).not.toContain('"level":"error"')
  })
})

describe('the booking example', () => {
  const project = join(place, 'booking')
  const origin = 'http://localhost:4641'
  const data = { dataDir: join(project, 'data') }
  const bookings = (where: string) => query(data, `select id from bookings where ${where}`)
  let server: Running | undefined
  let member: Page
  let address: string
  afterAll(() => server?.stop())

  /** Sends a request of a program without a session. */
  async function call(action: string, input: unknown) {
    const answer = await fetch(`${origin}/_fw/actions/${action}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(input),
    })
    return { status: answer.status, body: await answer.json() }
  }
  /** Books a slot with a ticket of its own that is old enough. */
  async function book(slot: string, email: string) {
    const { ticket } = await (await fetch(`${origin}/_fw/form-ticket`)).json()
    await new Promise(resolve => setTimeout(resolve, 3500))
    return call('book-slot', { slot, name: 'Ben', email, check: { ticket, trap: '' } })
  }
  async function freeSlots(): Promise<string[]> {
    const { body } = await call('list-free-slots', { organization: new URL(address).searchParams.get('of') })
    return z
      .object({ result: z.object({ slots: z.array(z.object({ id: z.string() })) }) })
      .parse(body)
      .result.slots.map(({ id }) => id)
  }
  /** Opens the booking page without an account and fills in the form for the first free time. */
  async function visit(name: string, email: string): Promise<Page> {
    const page = await (await browser.newContext()).newPage()
    await page.goto(address)
    await page.getByRole('radio').first().check()
    await page.getByLabel('Name').fill(name)
    await page.getByLabel('Email').fill(email)
    return page
  }

  // The frame has a status of its own, which announces the title of the page.
  const seesConfirmation = (page: Page) =>
    expectPage(page.getByRole('heading', { name: 'Your booking is confirmed' })).toBeVisible({ timeout: 15_000 })

  it('is built and type-checked, and its test passes', async () => {
    await createEmpty('booking')
    cpSync(exampleOf('booking'), project, { recursive: true })
    await runOk(project, 'npm', 'run', 'db:generate')
    await runOk(project, 'npm', 'run', 'build')
    await runOk(project, 'npm', 'run', 'types')
    expect(await runOk(project, 'npm', 'test')).toMatch(/1 passed/)
  })

  it('lets a member open times', async () => {
    server = await start(project, 4641)
    member = await browser.newPage()
    await signUp(member, `${origin}/bookings`)
    await expectPage(member.getByText('No bookings yet')).toBeVisible()
    address = new URL((await member.getByRole('link', { name: 'Booking page' }).getAttribute('href')) ?? '', origin)
      .href
    const visitor = await (await browser.newContext()).newPage()
    await visitor.goto(address)
    await expectPage(visitor.getByText('No free times')).toBeVisible()
    await member.getByLabel('First time').fill('2090-05-20T09:00')
    await member.getByLabel('Times of 30 minutes').fill('3')
    await member.getByRole('button', { name: 'Open times' }).click()
    await expectPage(member.getByText('3 times opened.')).toBeVisible()
  })

  it('lets a visitor book without an account; a second visitor gets 409 and keeps what was typed', async () => {
    const first = await visit('Maria', 'maria@example.test')
    const second = await visit('Tom', 'tom@example.test')
    await first.getByRole('button', { name: 'Book' }).click()
    await seesConfirmation(first)
    const answered = second.waitForResponse(response => response.url().endsWith('/book-slot'))
    await second.getByRole('button', { name: 'Book' }).click()
    const answer = await answered
    expect([answer.status(), await answer.json()]).toMatchObject([409, { code: 'conflict' }])
    await expectPage(second.getByText('booked by someone else')).toBeVisible()
    await expectPage(second.getByRole('radio')).toHaveCount(2)
    await expectPage(second.getByLabel('Name')).toHaveValue('Tom')
    await expectPage(second.getByLabel('Email')).toHaveValue('tom@example.test')
    await second.getByRole('radio').first().check()
    await second.getByRole('button', { name: 'Book' }).click()
    await seesConfirmation(second)
    expect((await mails.mailTo('maria@example.test')).subject).toBe('Your booking is confirmed')
  })

  it('makes one booking of two simultaneous requests', async () => {
    const [slot = ''] = await freeSlots()
    const answers = await Promise.all([book(slot, 'ben@example.test'), book(slot, 'eve@example.test')])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
    expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({ code: 'conflict' })
    expect(await bookings(`slot_id = '${slot}'`)).toHaveLength(1)
    expect(await freeSlots()).toEqual([])
  })

  it('shows the bookings to the member, who cancels one', async () => {
    await member.reload()
    await expectPage(member.getByRole('cell', { name: 'Maria', exact: true })).toBeVisible()
    await member.getByRole('row', { name: 'Maria' }).getByRole('button', { name: 'Cancel' }).click()
    await member.getByRole('button', { name: 'Cancel booking' }).click()
    await expectPage(member.getByRole('cell', { name: 'Maria', exact: true })).toBeHidden()
    expect(await freeSlots()).toHaveLength(1)
  })

  it('limits the requests of one network', async () => {
    const answers: number[] = []
    for (let tries = 0; tries < 21; tries++) answers.push((await call('book-slot', {})).status)
    expect(answers).toContain(400)
    expect(answers.at(-1)).toBe(429)
    expect(server?.log()).not.toContain('"level":"error"')
  })
})

describe('the studio example', () => {
  const project = join(place, 'studio')
  const origin = 'http://localhost:4644'
  const htmlOf = async (path: string) => (await fetch(origin + path)).text()
  let server: Running | undefined
  let owner: Page
  afterAll(() => server?.stop())

  it('is built and type-checked, and its tests pass', async () => {
    await createEmpty('studio')
    cpSync(exampleOf('studio'), project, { recursive: true })
    await runOk(project, 'npm', 'run', 'db:generate')
    await runOk(project, 'npm', 'run', 'build')
    await runOk(project, 'npm', 'run', 'types')
    expect(await runOk(project, 'npm', 'test')).toMatch(/7 passed/)
  })

  it('imports a German spreadsheet on a phone', async () => {
    server = await start(project, 4644)
    const german = { locale: 'de-DE', timezoneId: 'Europe/Berlin', viewport: { width: 375, height: 800 } }
    owner = await (await browser.newContext(german)).newPage()
    await signUpByRequest(owner, origin)
    await owner.goto(`${origin}/studio`)
    await owner.getByLabel('Adresse', { exact: true }).fill('laerche')
    await owner.getByRole('button', { name: 'Speichern' }).click()
    await expectPage(owner.getByText('Gespeichert.')).toBeVisible()
    await expectNoViolations(owner)
    await owner.goto(`${origin}/lessons`)
    await owner.getByRole('button', { name: 'Importieren' }).click()
    await owner.locator('input[type=file]').setInputFiles(join(project, 'classes.csv'))
    await owner.getByRole('button', { name: 'Prüfen' }).click()
    await owner.getByRole('button', { name: '2 Zeilen importieren' }).click()
    const lesson = owner.getByRole('listitem').filter({ hasText: 'Yoga für Anfänger' })
    await expectPage(lesson).toContainText(/Beginn\s*24\.12\.2090, 18:30/)
    await expectPage(lesson).toContainText(/Preis\s*14,50/)
    await expectNothingCutOff(owner)
    await expectNoViolations(owner)
  })

  it('shows visitors each class with its own title, and the places that are left', async () => {
    const visitor = await (await browser.newContext({ locale: 'de-DE' })).newPage()
    await visitor.goto(`${origin}/studios/laerche`)
    await expectNoViolations(visitor)
    expect(await htmlOf('/studios/laerche')).toMatch(/8 Plätze frei.*2 Plätze frei/s)
    await visitor.getByRole('link', { name: 'Yoga für Anfänger' }).click()
    await visitor.getByLabel('Name').fill('Maria')
    await visitor.getByLabel('E-Mail-Adresse').fill('maria@studio.test')
    await expectNoViolations(visitor)
    await visitor.getByRole('button', { name: 'Platz buchen' }).click()
    await expectPage(visitor.getByText('Ihr Platz ist gebucht')).toBeVisible({ timeout: 15_000 })
    const { pathname } = new URL(visitor.url())
    expect(await htmlOf('/studios/laerche')).toMatch(/7 Plätze frei.*2 Plätze frei/s)
    expect(await htmlOf(pathname)).toMatch(/<title>Yoga für Anfänger.*7 Plätze frei/s)
    expect(await htmlOf(`${pathname}?lang=en`)).toContain('7 places left')
    const sitemap = await htmlOf('/sitemap.xml')
    for (const path of ['/studios/laerche', pathname]) expect(sitemap).toContain(`<loc>${origin}${path}</loc>`)
    expect((await mails.mailTo('maria@studio.test')).subject).toContain('Ihr_Platz')
  })

  it('shows the booking to the owner', async () => {
    await owner.goto(`${origin}/bookings`)
    await expectPage(owner.getByText('maria@studio.test')).toBeVisible()
    await expectNothingCutOff(owner)
    await owner.goto(`${origin}/audit`)
    await expectPage(owner.getByText('Ein Gast').first()).toBeVisible()
    expect(server?.log()).not.toContain('"level":"error"')
  })
})

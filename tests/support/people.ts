import type { Locator, Page } from '@playwright/test'
import { actionPath, AUTH_PREFIX } from '#fairway/shared/paths'
import { createBrowser, type TestBrowser } from './http'
import { noteTitle } from './query'

export interface Person {
  name: string
  email: string
  password: string
}

/** Signs in as this login on the pages of a customer's provider, and agrees. */
export async function signInAtProvider(page: Page, login: string): Promise<void> {
  await page.getByPlaceholder('Enter any login').fill(login)
  await page.getByPlaceholder('and password').fill('any')
  await page.getByRole('button', { name: 'Sign-in' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
}

/** A person with a unique address per name and a password that meets the rules. */
export const aPerson = (name = 'Ada'): Person => ({
  name,
  email: `${name.toLowerCase().replaceAll(/\W+/g, '.')}@example.test`,
  password: 'quiet harbour lantern 42',
})

/** Creates a person's account and signs this page's browser in, without opening a page. */
export async function signUp(page: Page, origin: string, person: Person = aPerson()): Promise<Person> {
  await post(page, origin, `${AUTH_PREFIX}/sign-up/email`, person)
  return person
}

/** A browser without a window that has the cookies of this page. */
export async function browserOf(page: Page, origin: string): Promise<TestBrowser> {
  const browser = createBrowser(origin)
  const cookies = await page.context().cookies(origin)
  const headers = cookies.map(({ name, value }): [string, string] => ['set-cookie', `${name}=${value}`])
  browser.keep(new Response(null, { headers }))
  return browser
}

/** Creates the account in the form of the sign-in page that is open. */
export async function signUpByForm(page: Page, person: Person = aPerson()): Promise<void> {
  await page.getByRole('link', { name: 'Create account' }).click()
  const byLink = page.locator('a[href="#sign-up-password"]:visible')
  const isByLink = (await byLink.count()) > 0
  if (isByLink) await byLink.click()
  const form = page.locator(isByLink ? '#sign-up-password' : '#sign-up')
  await form.getByLabel('Name').fill(person.name)
  await form.getByLabel('Email address').fill(person.email)
  await form.getByLabel('Password', { exact: true }).fill(person.password)
  await form.getByRole('button', { name: 'Create account' }).click()
}

/** Runs an action as the user who is signed in to this page's browser. */
export const runAction = (page: Page, origin: string, name: string, input: object): Promise<void> =>
  post(page, origin, actionPath(name), input)

/** Writes numbered notes as the user who is signed in to this page's browser; the first is the oldest. */
export async function createNotes(page: Page, origin: string, count: number): Promise<void> {
  for (let number = 1; number <= count; number++)
    await runAction(page, origin, 'create-note', { title: noteTitle(number), text: `The text of number ${number}` })
}

async function post(page: Page, origin: string, path: string, data: object): Promise<void> {
  const answer = await page.request.post(origin + path, { data, headers: { origin } })
  if (!answer.ok()) throw new Error(`${path}: ${answer.status()} ${await answer.text()}`)
}

/** Confirms the person with the password, where the page asks for it. */
export async function signInAgain(page: Page, person: Person = aPerson()): Promise<void> {
  const form = page.getByRole('alert')
  await form.getByLabel('Your password').fill(person.password)
  await form.getByRole('button', { name: 'Confirm' }).click()
  await form.getByLabel('Your password').waitFor({ state: 'detached' })
}

/** The heading of the page, which appears once the page has finished loading. */
export const pageHeading = (page: Page): Locator => page.locator('main:not([aria-busy]) h1')

/** Goes to another page of the application as a link does, without loading a document, and waits until it is shown. */
export async function moveTo(page: Page, path: string): Promise<void> {
  await page.evaluate(to => (window as unknown as Shell).useNuxtApp().$router.push(to), path)
  await page.waitForFunction(() => {
    const { _route: shown, $router } = (window as unknown as Shell).useNuxtApp()
    return shown.fullPath === $router.currentRoute.value.fullPath
  })
  await pageHeading(page).waitFor()
}

/** What Nuxt puts into the window. Its own type needs the framework files of pages. */
interface Shell {
  useNuxtApp(): {
    _route: { fullPath: string }
    $router: { push(path: string): Promise<unknown>; currentRoute: { value: { fullPath: string } } }
  }
}

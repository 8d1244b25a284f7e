import type { Locator, Page } from '@playwright/test'
import { actionPath, AUTH_PREFIX } from '#fairway/shared/paths'

export interface Person {
  name: string
  email: string
  password: string
}

/** A person with an address of their own and a password that the rules accept. */
export const aPerson = (name = 'Ada'): Person => ({
  name,
  email: `${name.toLowerCase()}@example.test`,
  password: 'quiet harbour lantern 42',
})

/** Creates the account of a person and signs the browser of this page in, without showing a page. */
export async function signUp(page: Page, origin: string, person: Person = aPerson()): Promise<Person> {
  await post(page, origin, `${AUTH_PREFIX}/sign-up/email`, person)
  return person
}

/** Runs an action as whoever is signed in in the browser of this page. */
export const runAction = (page: Page, origin: string, name: string, input: object): Promise<void> =>
  post(page, origin, actionPath(name), input)

async function post(page: Page, origin: string, path: string, data: object): Promise<void> {
  const answer = await page.request.post(origin + path, { data, headers: { origin } })
  if (!answer.ok()) throw new Error(`${path}: ${answer.status()} ${await answer.text()}`)
}

/** Follows the link of a page that asks for a new sign-in, signs in with the password in the tab that opens, and closes that tab. */
export async function signInAgain(page: Page, person: Person = aPerson()): Promise<void> {
  const [tab] = await Promise.all([
    page.waitForEvent('popup'),
    page.getByRole('alert').getByRole('link', { name: 'Sign in again' }).click(),
  ])
  const form = tab.locator('#sign-in')
  await form.getByLabel('Email address').fill(person.email)
  await form.getByLabel('Password', { exact: true }).fill(person.password)
  await form.getByRole('button', { name: /^Sign in/ }).click()
  await tab.waitForURL(new URL(page.url()).pathname)
  await tab.close()
}

/** The heading of the page itself, which is there once the gate has opened. */
export const pageHeading = (page: Page): Locator => page.locator('main:not([aria-busy]) h1')

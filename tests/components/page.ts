// Finds and uses what an opened page shows. Every function waits until the page shows it.
import { screen, waitFor, within } from '@testing-library/dom'
import userEvent from '@testing-library/user-event'
import { expect } from 'vitest'
import { startSignedIn } from './support'

type Name = string | RegExp

/** The element with this role and name, in the page or within an element. */
export const find = (role: string, name?: Name, inside: HTMLElement = document.body): Promise<HTMLElement> =>
  within(inside).findByRole(role, { name })

/** The number of elements with this role and name. */
export const count = (role: string, name?: Name, inside: HTMLElement = document.body): number =>
  within(inside).queryAllByRole(role, { name }).length

/** Presses the button, or the element with this role, of this name, once it is enabled. */
export async function press(name: Name, role = 'button', inside: HTMLElement = document.body): Promise<void> {
  const pressed = await waitFor(() => {
    const found = within(inside).getByRole(role, { name })
    if (found.matches(':disabled, [aria-disabled=true]')) throw new Error(`${name} is disabled`)
    return found
  })
  await userEvent.click(pressed)
}

/** Replaces the text of a field at once. */
export async function fill(
  name: Name | undefined,
  text: string,
  role = 'textbox',
  inside?: HTMLElement,
): Promise<HTMLElement> {
  const field = await find(role, name, inside)
  await userEvent.click(field)
  await userEvent.clear(field)
  if (text) await userEvent.paste(text)
  return field
}

/** Expects that the page, or the returned element, shows this text. */
export const shows = (text: Name, inside: () => Element | Promise<Element> = () => document.body): Promise<void> =>
  waitFor(async () => {
    const shown = (await inside()).textContent?.replaceAll(/\s+/g, ' ')
    if (typeof text === 'string') expect(shown).toContain(text)
    else expect(shown).toMatch(text)
  })

/** Signs somebody up and opens a page. */
export async function openSignedIn(path: string, input?: Parameters<typeof startSignedIn>[0]) {
  const app = await startSignedIn(input)
  await app.open(path)
  return app
}

/** The texts of the elements with this role. */
export const texts = (role: string, inside: HTMLElement = document.body): string[] =>
  within(inside)
    .queryAllByRole(role)
    .map(each => each.textContent?.trim() ?? '')

/** The title of the page. */
export const heading = (): string => screen.getByRole('heading', { level: 1 }).textContent?.trim() ?? ''

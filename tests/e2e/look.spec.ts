import type { Page } from '@playwright/test'
import { expect, test } from '../support/e2e'
import { signUp } from '../support/people'

const LOOKS = [
  'borderRadius',
  'fontFamily',
  'fontSize',
  'fontWeight',
  'lineHeight',
  'color',
  'backgroundColor',
] as const

/** The look of the first visible password field and the button below it. Nuxt UI draws a field's border as a ring. */
const looks = (page: Page) =>
  page.evaluate(names => {
    const seen = (element: HTMLElement) => {
      const style = getComputedStyle(element)
      const line = style.boxShadow.match(/(?:rgb|oklch|oklab|color)\([^)]*\)(?= 0px 0px 0px 1px inset)/)?.[0]
      const shapes = Object.fromEntries(names.map(name => [name, style[name]]))
      return {
        ...shapes,
        height: `${Math.round(Number.parseFloat(style.height))}px`,
        line: line ?? style.borderTopColor,
      }
    }
    const field = [...document.querySelectorAll<HTMLInputElement>('input[type=password]')].find(one => one.offsetParent)
    const button = [...(field?.form?.querySelectorAll('button') ?? [])].find(
      one => one.type === 'submit' && one.offsetParent,
    )
    if (!field || !button) throw new Error('no field or no button is visible')
    return { field: seen(field), button: seen(button) }
  }, LOOKS)

test('fields and buttons look the same on sign-in and in settings, in light and dark mode', async ({
  page,
  origin,
}) => {
  const schemes = ['light', 'dark'] as const
  const outside = new Map<string, Awaited<ReturnType<typeof looks>>>()
  await page.goto('/sign-in')
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme })
    outside.set(colorScheme, await looks(page))
  }
  expect(outside.get('dark')).not.toEqual(outside.get('light'))
  await signUp(page, origin)
  await page.goto('/settings/security')
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByRole('button', { name: 'Save password' }).waitFor()
  for (const field of await page.locator('input[type=password]:visible').all())
    await field.fill('zebra quilt 7 lantern')
  await expect(page.getByRole('button', { name: 'Save password' })).toBeEnabled()
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme })
    const { field, button } = outside.get(colorScheme)!
    // The colours fade in.
    await expect.poll(async () => ({ ...(await looks(page)).button, line: '' })).toEqual({ ...button, line: '' })
    const inside = await looks(page)
    expect(inside.field).toEqual(field)
    expect(inside.field).toMatchObject({ height: '36px', fontFamily: expect.stringMatching(/^Geist/) })
  }
})

import { expectNothingCutOff, expectNoViolationsInBothColours } from '../support/accessibility'
import { startDevice } from '../support/device-grant'
import { expect, test } from '../support/e2e'
import { connectHost } from '../support/mcp'
import { aPerson, signUp } from '../support/people'

test.describe('on a phone', () => {
  test.use({ viewport: { width: 375, height: 800 } })

  test('a person signs in, types the code of a device and allows it, with the keyboard alone', async ({
    page,
    origin,
  }) => {
    const person = aPerson()
    await signUp(page, origin, person)
    await page.context().clearCookies()
    const device = await startDevice(origin, { scope: 'mcp:read mcp:write offline_access' })
    const heading = page.getByRole('heading', { level: 1 })
    const expectGood = async () => {
      await expectNothingCutOff(page)
      await expectNoViolationsInBothColours(page)
    }
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key)
    }

    await page.goto('/device')
    await page.getByRole('textbox', { name: 'Email address' }).locator('visible=true').fill(person.email)
    await page.getByRole('textbox', { name: 'Password' }).locator('visible=true').fill(person.password)
    await press('Enter')
    await expect(heading).toHaveText('Connect a device')
    await expect(page.getByLabel('Code')).toBeFocused()
    await page.keyboard.type('BCDF-BCDF')
    await press('Enter')
    await expect(page.getByRole('alert')).toContainText('isn’t valid')
    await expectGood()

    await expect(page.getByLabel('Code')).toBeFocused()
    await page.keyboard.type(device.codes.user_code.toLowerCase().replace('-', ' '))
    await press('Enter')
    await expect(heading).toHaveText('Connect Terminal?')
    await expect(page.getByText(device.codes.user_code)).toBeVisible()
    await expect(page.getByText('Only continue if you started this yourself')).toBeVisible()
    await expectGood()
    expect((await device.poll()).body.error).toBe('authorization_pending')
    const allow = page.getByRole('button', { name: 'Allow Terminal' })
    for (let tabs = 0; tabs < 8 && !(await allow.evaluate(node => node === document.activeElement)); tabs++)
      await press('Tab')
    await expect(allow).toBeFocused()
    await press('Enter')
    await expect(heading).toHaveText('The device is connected')
    await expectGood()

    const { body } = await device.poll()
    const host = await connectHost(origin, body.access_token)
    const made = await host.callTool({ name: 'create-note', arguments: { title: 'From a device' } })
    expect(made).toMatchObject({ structuredContent: { note: { title: 'From a device' } } })
    await host.close()
  })
})

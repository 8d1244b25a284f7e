import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  desktopAvailability,
  hasDesktopPart,
  isDesktopHub,
  isWorkspaceSsoOn,
  setWorkspaceSso,
} from '#fairway/server/domains/oauth-server'
import { desktopAvailabilitySchema } from '#fairway/shared/schemas/desktop'
import { createTestApp, type TestApp } from '../../../../support/app'
import { hubEnv } from '../../../../support/hub'
import { query } from '../../../../support/query'

let test: TestApp
beforeEach(async () => {
  test = await createTestApp(hubEnv())
})
afterEach(() => test.close())

const DESKTOP = 'Mozilla/5.0 (X11; Linux x86_64) Fairway-Desktop/1.0'
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64)'
const warnings = () => test.lines().filter(({ message }) => String(message).includes('cannot be read'))

describe('desktop.workspace-sso', () => {
  it('is off by default, and can be switched on and off', async () => {
    expect(await isWorkspaceSsoOn(test.app)).toBe(false)
    await setWorkspaceSso(test.app, true, 'ada')
    expect([await isWorkspaceSsoOn(test.app), await isDesktopHub(test.app)]).toEqual([true, true])
    const rows = await query(test.app, 'select * from feature_flags')
    expect(rows).toMatchObject([{ name: 'desktop.workspace-sso', is_on: 1, updated_by: 'ada' }])
    await setWorkspaceSso(test.app, false, 'ada')
    expect(await isWorkspaceSsoOn(test.app)).toBe(false)
  })

  it.each(["'on'", "'true'", '2', '-1', '1.5', "x'01'"])('is off when the row contains %s', async value => {
    await query(
      test.app,
      `insert into feature_flags (name, is_on, updated_at, updated_by) values ('desktop.workspace-sso', ${value}, 1, 'x')`,
    )
    expect(await isWorkspaceSsoOn(test.app)).toBe(false)
  })

  it('is off when it cannot be read, which is logged once a minute', async () => {
    await setWorkspaceSso(test.app, true, 'ada')
    await query(test.app, 'alter table feature_flags rename to hidden_flags')
    for (let count = 0; count < 5; count++) expect(await isWorkspaceSsoOn(test.app)).toBe(false)
    expect(await isDesktopHub(test.app)).toBe(false)
    expect(warnings()).toHaveLength(1)
    const later = { ...test.app, now: () => new Date(Date.now() + 61_000) }
    expect(await isWorkspaceSsoOn(later)).toBe(false)
    expect(warnings()).toHaveLength(2)
    await query(test.app, 'alter table hidden_flags rename to feature_flags')
    expect(await isWorkspaceSsoOn(test.app)).toBe(true)
  })

  it('cannot be switched on without a hub, but can always be switched off', async () => {
    const plain = await createTestApp()
    await expect(setWorkspaceSso(plain.app, true, 'ada')).rejects.toMatchObject({ code: 'no-identity-hub' })
    await setWorkspaceSso(plain.app, false, 'ada')
    expect(await isDesktopHub(plain.app)).toBe(false)
    await plain.close()
  })
})

describe('desktopAvailability', () => {
  const client = { FW_IDENTITY_HUB_URL: 'https://hub.example.test', FW_BASE_URL: 'https://mail.example.test' }
  const { A2A_SECRET } = hubEnv()
  const facts = {
    hubUrl: 'https://hub.example.test',
    appId: 'mail',
    clientId: 'mail-client',
    callbackUrl: 'https://mail.example.test/_fw/identity/callback',
  }
  const names = { FW_APP_ID: 'mail', FW_SSO_CLIENT_ID: 'mail-client' }

  it('has no desktop part without a hub or client, for any user agent', async () => {
    const settings: Record<string, string>[] = [{}, { FW_IDENTITY_HUB_URL: 'https://hub.example.test' }, { A2A_SECRET }]
    for (const env of settings) {
      const plain = await createTestApp({ FW_BASE_URL: 'https://mail.example.test', ...env })
      expect([hasDesktopPart(plain.app, BROWSER), hasDesktopPart(plain.app, DESKTOP)]).toEqual([false, false])
      await plain.close()
    }
  })

  it('returns the sign-in client to everyone when the settings configure it', async () => {
    const mail = await createTestApp({ A2A_SECRET, ...client, ...names })
    for (const userAgent of [BROWSER, DESKTOP]) {
      expect(desktopAvailabilitySchema.parse(await desktopAvailability(mail.app, userAgent))).toEqual({
        available: false,
        client: facts,
      })
    }
    await mail.close()
  })

  it('returns the client to desktop apps only when just the declaration names the hub', async () => {
    const env = { A2A_SECRET, FW_BASE_URL: client.FW_BASE_URL, ...names }
    const mail = await createTestApp(env, { identity: { hubUrl: client.FW_IDENTITY_HUB_URL } })
    expect([hasDesktopPart(mail.app, BROWSER), hasDesktopPart(mail.app, 'NotFairway-Desktop/1')]).toEqual([
      false,
      false,
    ])
    expect(hasDesktopPart(mail.app, DESKTOP)).toBe(true)
    expect(await desktopAvailability(mail.app, DESKTOP)).toEqual({ available: false, client: facts })
    await mail.close()
  })

  it('returns the same for a hub with any user agent', async () => {
    expect(await desktopAvailability(test.app, BROWSER)).toEqual({ available: false, client: null })
    await setWorkspaceSso(test.app, true, 'ada')
    for (const userAgent of [BROWSER, DESKTOP]) {
      expect(await desktopAvailability(test.app, userAgent)).toEqual({ available: true, client: null })
    }
  })
})

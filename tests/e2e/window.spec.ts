// All tests of a worker share a window: what one leaves there, the next must not find.
import { expect, test } from '../support/e2e'

test('a test leaves as much as it can in its window', async ({ page, context, origin }) => {
  await page.goto('/sign-in')
  await context.grantPermissions(['clipboard-read'], { origin })
  await context.addCookies([{ name: 'left', value: '1', url: origin }])
  await page.addInitScript(() => Object.assign(window, { leftScript: true }))
  await context.addInitScript(() => Object.assign(window, { leftContextScript: true }))
  await page.exposeFunction('leftFunction', () => 1)
  await page.route('**/sign-in', route => route.fulfill({ body: 'left' }))
  await context.route('**/about', route => route.fulfill({ body: 'left' }))
  await page.evaluate(async () => {
    localStorage.setItem('left', '1')
    sessionStorage.setItem('left', '1')
    indexedDB.open('left')
    document.body.append(document.createElement('s'))
  })
  await page.emulateMedia({ colorScheme: 'dark', forcedColors: 'active' })
  await page.setViewportSize({ width: 375, height: 700 })
  await page.setExtraHTTPHeaders({ 'x-left': '1' })
  await page.clock.install({ time: new Date('2031-05-20') })
  const client = await context.newCDPSession(page)
  await client.send('WebAuthn.enable')
  await client.send('Emulation.setCPUThrottlingRate', { rate: 2 })
  await client.send('Emulation.setTimezoneOverride', { timezoneId: 'Asia/Tokyo' })
  const other = await context.newPage()
  await other.goto('/about')
  await context.setOffline(true)
})

test('the next test finds a clean window', async ({ page, context, origin }) => {
  expect(context.pages()).toHaveLength(1)
  expect(await context.cookies()).toEqual([])
  let sent: Record<string, string> = {}
  page.on('request', request => request.isNavigationRequest() && (sent = request.headers()))
  await page.goto('/sign-in')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  expect(sent['x-left']).toBeUndefined()
  const found = await page.evaluate(async () => ({
    local: localStorage.getItem('left'),
    session: sessionStorage.getItem('left'),
    databases: (await indexedDB.databases()).map(({ name }) => name),
    globals: ['leftScript', 'leftContextScript', 'leftFunction'].filter(name => name in window),
    isDark: matchMedia('(prefers-color-scheme: dark)').matches,
    isForced: matchMedia('(forced-colors: active)').matches,
    isReduced: matchMedia('(prefers-reduced-motion: reduce)').matches,
    width: innerWidth,
    isOld: Date.now() < Date.parse('2030-01-01'),
    zone: Intl.DateTimeFormat().resolvedOptions().timeZone !== 'Asia/Tokyo',
    clipboard: (await navigator.permissions.query({ name: 'clipboard-read' as PermissionName })).state,
    isOnline: navigator.onLine,
  }))
  expect(found).toEqual({
    local: null,
    session: null,
    databases: [],
    globals: [],
    isDark: false,
    isForced: false,
    isReduced: true,
    width: 1280,
    isOld: true,
    zone: true,
    clipboard: 'prompt',
    isOnline: true,
  })
  expect(await (await page.goto('/about'))?.text()).not.toBe('left')
  expect(origin).toContain('localhost')
})

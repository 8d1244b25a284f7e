import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { builderKeys, startBuilder } from '../support/builder'
import { startFw } from '../support/fw'

const BROWSER = `#!${process.execPath}\nfetch(process.argv[2]).then(answer => process.exit(answer.ok ? 0 : 0))\n`

const services: { stop(): void }[] = []
const folders: string[] = []
afterEach(() => services.splice(0).forEach(service => service.stop()))
afterAll(() => folders.forEach(folder => rmSync(folder, { recursive: true })))

async function setUp(mode: string, { hasBrowser = true } = {}) {
  const service = await startBuilder(mode)
  services.push(service)
  // A separate application inside this one, because the command line works in the nearest application.
  mkdirSync('test-results', { recursive: true })
  const dir = resolve(mkdtempSync(join('test-results', 'fw-builder-')))
  folders.push(dir)
  writeFileSync(join(dir, 'nuxt.config.ts'), 'export default {}\n')
  if (hasBrowser) {
    writeFileSync(join(dir, 'xdg-open'), BROWSER)
    chmodSync(join(dir, 'xdg-open'), 0o755)
  }
  const envFile = join(dir, '.env')
  const start = (args: string[]) => startFw(['builder', ...args], { PATH: dir, BUILDER_APP_HOST: service.origin }, dir)
  const fw = async (args: string[]) => {
    const { code, both: out } = await start(args).ended
    return { code, out }
  }
  return { service, dir, envFile, start, fw, read: () => readFileSync(envFile, 'utf8') }
}

describe.skipIf(process.platform !== 'linux')('fw builder', () => {
  it('connects in the browser, keeps the other .env lines and makes the file private to its owner', async () => {
    const { envFile, fw, read } = await setUp('good')
    writeFileSync(envFile, '# of mine\nPORT=3100 # kept\nBUILDER_USER_ID=before\n', { mode: 0o644 })
    const { code, out } = await fw(['connect'])
    expect([code, out]).toEqual([0, expect.stringContaining('Connected.')])
    expect(out).not.toMatch(/bpk-|public0123/)
    expect(read()).toBe(
      `# of mine\nPORT=3100 # kept\nBUILDER_USER_ID='user-7'\nBUILDER_PRIVATE_KEY='${builderKeys.privateKey}'\n` +
        `BUILDER_PUBLIC_KEY='${builderKeys.publicKey}'\n`,
    )
    expect(statSync(envFile).mode & 0o777).toBe(0o600)

    const status = await fw(['status'])
    expect([status.code, status.out]).toEqual([0, expect.stringMatching(/^Connected\./)])
    expect(status.out).not.toMatch(/bpk-|public0123/)

    const plan = await fw(['disconnect', '--dry-run'])
    expect([plan.code, plan.out, read()]).toEqual([
      0,
      expect.stringMatching(/Would take/),
      expect.stringContaining('bpk-'),
    ])
    expect((await fw(['disconnect'])).code).toBe(0)
    expect(read()).toBe('# of mine\nPORT=3100 # kept\n')
    expect(await fw(['status'])).toEqual({ code: 1, out: 'Not connected. Run `fw builder connect`.\n' })
  })

  it('prints the address without a browser and accepts one callback with the right state only', async () => {
    const { envFile, start } = await setUp('good', { hasBrowser: false })
    const { until, ended } = start(['connect'])
    const url = new URL(await until(/^http.*\/cli-auth\?.*$/m))
    expect(url.searchParams.get('response_type')).toBe('code')
    const back = new URL(url.searchParams.get('redirect_url') ?? '')
    expect(back.hostname).toBe('127.0.0.1')
    expect(Buffer.from(back.searchParams.get('state') ?? '', 'base64url')).toHaveLength(32)
    const forged = new URL(back)
    for (const [name, value] of Object.entries({ 'p-key': 'evil', 'api-key': 'evil', 'user-id': 'evil' }))
      forged.searchParams.set(name, value)
    const right = String(forged)
    forged.searchParams.set('state', 'guessed')
    expect((await fetch(forged)).status).toBe(400)
    expect((await fetch(right, { method: 'HEAD' })).status).toBe(405)
    expect((await fetch(right, { method: 'POST' })).status).toBe(405)
    expect(existsSync(envFile)).toBe(false)
    const answer = await fetch(url, { redirect: 'manual' })
    const first = await fetch(answer.headers.get('location') ?? '', { redirect: 'manual' })
    expect([first.status, first.headers.get('location'), first.headers.get('cache-control')]).toEqual([
      303,
      '/done',
      'no-store',
    ])
    expect(first.headers.get('referrer-policy')).toBe('no-referrer')
    const { code } = await ended
    expect(code).toBe(0)
    expect(readFileSync(envFile, 'utf8')).not.toContain('evil')
    await expect(fetch(right)).rejects.toThrow()
  })

  it.each([
    ['refuses', /You cancelled the connection/],
    ['incomplete', /cannot be used \(api-key, user-id\)/],
  ])('reports a failed connection and changes nothing: %s', async (mode, sentence) => {
    const { envFile, fw } = await setUp(mode)
    const { code, out } = await fw(['connect'])
    expect([code, out, existsSync(envFile)]).toEqual([1, expect.stringMatching(sentence), false])
    expect(out).not.toContain('bpk-')
  })

  it('stops at the timeout when only a wrong state comes back', async () => {
    const { envFile, fw } = await setUp('wrong-state')
    const { code, out } = await fw(['connect', '--timeout', '2'])
    expect([code, out, existsSync(envFile)]).toEqual([1, expect.stringContaining('within 2 seconds'), false])
  })

  it('shows the planned changes with --dry-run', async () => {
    const { envFile, fw, service } = await setUp('good')
    const { code, out } = await fw(['connect', '--dry-run'])
    expect([code, existsSync(envFile)]).toEqual([0, false])
    expect(out).toContain(`Would open ${service.origin}/cli-auth?`)
    expect(out).toContain('BUILDER_PRIVATE_KEY')
  })
})

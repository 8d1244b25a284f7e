import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, vi } from 'vitest'
import packageJson from '../../../package.json'
import { findChromium } from '../../../scripts/chromium.mjs'

const house = fileURLToPath(new URL('../../..', import.meta.url))

/** The requirements of each script besides the packages. Scripts that are not listed have none. */
const needs: Record<string, string[]> = {
  test: ['browser', 'nginx', 'postgres'],
  'test:everything': ['browser', 'nginx', 'postgres'],
  'test:changed': ['browser', 'nginx', 'postgres'],
  'test:components': ['built'],
  types: ['prepared'],
  deps: ['prepared'],
  dead: ['prepared'],
  'test:unit': ['prepared', 'postgres'],
  'test:http': ['built', 'nginx'],
  'test:e2e': ['built', 'browser'],
  'test:starter': ['browser'],
  'test:desktop': ['browser'],
  screenshots: ['browser'],
  'test:instances': ['built', 'nginx'],
  'test:plain': ['built', 'nginx'],
  'bench:collections': ['prepared'],
  'bench:hostile': ['built'],
  'bench:soak': ['built'],
  'bench:scale': ['built'],
}
/** Scripts that install nothing: production runs the existing build. */
const FOR_PRODUCTION = ['start']

describe('package.json scripts', () => {
  const scripts = Object.entries(packageJson.scripts).filter(([name]) => !FOR_PRODUCTION.includes(name))

  it.each(scripts)('%s runs the setup first', (name, script) => {
    const words = script.split(' ')
    expect(words.slice(0, 2)).toEqual(['node', 'scripts/setup.mjs'])
    expect(words.slice(2, words.indexOf('--'))).toEqual(needs[name] ?? [])
  })
})

/** A fresh clone on a machine whose programs only record their calls. It has only these programs. */
function freshClone(install = '/bin/mkdir -p node_modules') {
  const root = mkdtempSync(join(tmpdir(), 'fw-clone-'))
  const log = join(root, 'calls')
  const file = (name: string, content = '') => {
    const path = join(root, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
    chmodSync(path, 0o755)
    return path
  }
  const program = (name: string, more = '') => file(`bin/${name}`, `#!/bin/sh\necho "${name} $*" >> ${log}\n${more}\n`)
  program('npm', install)
  program('nuxt', '/bin/mkdir -p .nuxt && : > .nuxt/tsconfig.server.json')
  program('tool', 'exit 7')
  for (const name of ['apt-get', 'sudo', 'npx']) program(name, 'exit 1')
  for (const name of ['setup.mjs', 'chromium.mjs', 'nginx.mjs', 'postgres.mjs', 'sample.mjs'])
    cpSync(join(house, 'scripts', name), join(root, 'scripts', name))
  writeFileSync(join(root, 'package-lock.json'), '{}')
  const env: Record<string, string> = { PATH: join(root, 'bin'), HOME: root }
  const calls = () => readFileSync(log, 'utf8').trim().split('\n')
  return {
    env,
    file,
    program,
    run(...args: string[]) {
      writeFileSync(log, '')
      const { status } = spawnSync(process.execPath, ['scripts/setup.mjs', ...args], { cwd: root, env })
      return { status, calls: calls() }
    },
  }
}

/** Where Playwright puts a headless shell and a full Chromium. */
const SHELL = '.cache/ms-playwright/chromium_headless_shell-1/chrome-headless-shell-linux64/chrome-headless-shell'
const FULL = '.cache/ms-playwright/chromium-1/chrome-linux64/chrome'

describe.skipIf(process.platform === 'win32')('scripts/setup.mjs', () => {
  it('installs and prepares once, then runs the command with its arguments and returns its exit code', () => {
    const { run } = freshClone()
    const install = 'npm ci --no-audit --no-fund --loglevel=error'
    const command = ['prepared', '--', 'tool', '--one', 'two words']
    expect(run(...command)).toEqual({ status: 7, calls: [install, 'nuxt prepare', 'tool --one two words'] })
    expect(run(...command)).toEqual({ status: 7, calls: ['tool --one two words'] })
  })

  it('does not run the command when the installation fails', () => {
    const { run } = freshClone('exit 1')
    expect(run('--', 'tool')).toEqual({ status: 1, calls: ['npm ci --no-audit --no-fund --loglevel=error'] })
  })

  const shells = ({ calls }: { calls: string[] }) =>
    calls.filter(call => call.startsWith('npx playwright-core install'))

  it('installs the headless shell beside another Chromium', () => {
    const { run, program } = freshClone()
    program('chromium')
    program('npx', `/bin/mkdir -p "$HOME/${dirname(SHELL)}" && : > "$HOME/${SHELL}"`)
    expect(shells(run('browser'))).toEqual(['npx playwright-core install --only-shell chromium'])
    expect(shells(run('browser'))).toEqual([])
  })

  it('uses the other Chromium where no headless shell can be installed, and tries once per lockfile', () => {
    const { run, program, file } = freshClone()
    program('chromium')
    const first = run('browser', '--', 'tool')
    expect([first.status, first.calls.at(-1), shells(first)]).toEqual([7, 'tool', [expect.anything()]])
    expect(run('browser', '--', 'tool').calls).toEqual(['tool'])
    file('package-lock.json', '{ }')
    expect(shells(run('browser'))).toHaveLength(1)
  })

  it('installs nothing beside the browser in CHROMIUM_PATH', () => {
    const { run, program, env } = freshClone()
    env.CHROMIUM_PATH = program('mine')
    expect(shells(run('browser'))).toEqual([])
  })

  it('does not run the command without a browser', () => {
    const { run } = freshClone()
    const { status, calls } = run('browser', '--', 'tool')
    expect([status, calls.some(call => call.startsWith('tool'))]).toEqual([1, false])
  })

  it.each([
    ['CHROMIUM_PATH', ['mine', 'bin/chromium-headless-shell', SHELL], 'mine'],
    [
      'the headless shell of the system',
      [SHELL, 'bin/chromium', 'bin/chromium-headless-shell'],
      'bin/chromium-headless-shell',
    ],
    ['a headless shell of Playwright', ['bin/google-chrome', FULL, SHELL], SHELL],
    ['a full browser', [FULL, 'bin/chromium'], 'bin/chromium'],
  ])('the tests use %s first', (_, names, chosen) => {
    const { env, file } = freshClone()
    const paths = Object.fromEntries(names.map(name => [name, file(name)]))
    for (const [name, value] of Object.entries({ ...env, PLAYWRIGHT_BROWSERS_PATH: undefined })) vi.stubEnv(name, value)
    vi.stubEnv('CHROMIUM_PATH', paths.mine)
    expect(findChromium()).toBe(paths[chosen])
    vi.unstubAllEnvs()
  })
})

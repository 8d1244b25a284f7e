import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import packageJson from '../../../package.json'

const house = fileURLToPath(new URL('../../..', import.meta.url))

/** The requirements of each script besides the packages. Scripts that are not listed have none. */
const needs: Record<string, string[]> = {
  test: ['browser', 'nginx'],
  'test:everything': ['browser', 'nginx'],
  'test:changed': ['browser', 'nginx'],
  'test:components': ['built'],
  types: ['prepared'],
  deps: ['prepared'],
  dead: ['prepared'],
  'test:unit': ['prepared'],
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

/** A fresh clone whose programs only record their calls. */
function freshClone(install = 'mkdir -p node_modules'): {
  run(...args: string[]): { status: number | null; calls: string[] }
} {
  const root = mkdtempSync(join(tmpdir(), 'fw-clone-'))
  const log = join(root, 'calls')
  const program = (name: string, more = '') => {
    const file = join(root, 'bin', name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, `#!/bin/sh\necho "${name} $*" >> ${log}\n${more}\n`)
    chmodSync(file, 0o755)
  }
  program('npm', install)
  program('nuxt', 'mkdir -p .nuxt && touch .nuxt/tsconfig.server.json')
  program('tool', 'exit 7')
  for (const file of ['setup.mjs', 'chromium.mjs', 'nginx.mjs', 'sample.mjs'])
    cpSync(join(house, 'scripts', file), join(root, 'scripts', file))
  writeFileSync(join(root, 'package-lock.json'), '{}')
  const env = { PATH: `${join(root, 'bin')}${delimiter}${process.env.PATH}` }
  const calls = () => readFileSync(log, 'utf8').trim().split('\n')
  return {
    run(...args) {
      writeFileSync(log, '')
      const { status } = spawnSync(process.execPath, ['scripts/setup.mjs', ...args], { cwd: root, env })
      return { status, calls: calls() }
    },
  }
}

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
})

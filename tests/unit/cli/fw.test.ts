import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { platformDir } from '#fairway/modules/registry/roots'
import { sampleDir } from '../../../scripts/sample.mjs'

const program = join(platformDir, 'cli/fw.mjs')
const FIRST_WORDS = 'The command line of this application.'

/** The machine's own Node, which may be old. If there is none, the Node that runs these tests. */
const machineNode = ['/usr/bin/node', '/usr/local/bin/node'].find(path => existsSync(path)) ?? process.execPath

/** An environment without settings. */
const bareEnv = (env: NodeJS.Dict<string> = {}) => ({
  HOME: mkdtempSync(join(tmpdir(), 'fw-home-')),
  PATH: '/usr/local/bin:/usr/bin:/bin',
  ...env,
})

const help = (node: string, env: NodeJS.Dict<string> = {}) => {
  const { stdout, stderr, status } = spawnSync(node, [program, '--help'], { cwd: sampleDir, env: bareEnv(env) })
  return { out: String(stdout), err: String(stderr), status }
}

describe('fw --help', () => {
  it.each([
    ['the Node that the project brings', process.execPath],
    ['the Node of the machine', machineNode],
  ])('prints only the help text with %s', (_, node) => {
    const { out, err, status } = help(node)
    expect({ err, status }).toEqual({ err: '', status: 0 })
    expect(out.slice(0, FIRST_WORDS.length)).toBe(FIRST_WORDS)
  })

  it('prints colors to a program only with FORCE_COLOR', () => {
    expect(help(process.execPath).out).not.toContain('\u001b[')
    expect(help(process.execPath, { FORCE_COLOR: '1' }).out).toContain('\u001b[')
  })

  it('ends without an error when its reader has ended', () => {
    const line = `{ "$0" "$1" --help; echo "exit $?" >&2; } | true`
    const { stderr } = spawnSync('sh', ['-c', line, process.execPath, program], { cwd: sampleDir, env: bareEnv() })
    expect(String(stderr)).toBe('exit 0\n')
  })

  it('is the only output of npx fw --help', () => {
    const npmrc = join(mkdtempSync(join(tmpdir(), 'fw-npm-')), 'npmrc')
    writeFileSync(npmrc, 'update-notifier=false\n')
    // Turns off npm's update notice, which is not our output.
    const env = bareEnv({
      npm_config_userconfig: npmrc,
      PATH: `/usr/local/bin:/usr/bin:/bin:${join(process.execPath, '..')}`,
    })
    const { stdout, stderr } = spawnSync('npx', ['fw', '--help'], { cwd: sampleDir, env })
    expect(String(stderr)).toBe('')
    expect(String(stdout).slice(0, FIRST_WORDS.length)).toBe(FIRST_WORDS)
  })
})

describe('the packages that fw loads', () => {
  const TRACE = `
import { registerHooks } from 'node:module'
const packages = new Set()
registerHooks({
  load(url, context, next) {
    const name = /.*\\/node_modules\\/((?:@[^/]+\\/)?[^/]+)\\//.exec(url)?.[1]
    if (name) packages.add(name)
    return next(url, context)
  },
})
process.on('exit', () => process.stderr.write('PACKAGES ' + [...packages].toSorted().join(' ')))`
  const EVERY_HELP_TEXT = `
import { renderUsage } from 'citty'
import { commandLine } from '${platformDir}/dist/cli/cli--main.mjs'
const walk = async command => {
  console.log(await renderUsage(command))
  for (const each of Object.values(command.subCommands ?? {})) await walk(typeof each === 'function' ? await each() : each)
}
await walk(commandLine())`
  /** Runs a program in the sample, and returns its output and the packages that it loads. */
  const traced = (...args: string[]) => {
    const trace = `data:text/javascript,${encodeURIComponent(TRACE)}`
    const env = { ...bareEnv(), FW_TOKEN: 'none' }
    const { stdout, stderr } = spawnSync(process.execPath, ['--import', trace, ...args], { cwd: sampleDir, env })
    const [err, packages] = String(stderr).split('PACKAGES ')
    return { out: String(stdout), err, packages: packages?.split(' ') }
  }

  it('are citty alone for fw --help, and for the help text of every command', () => {
    expect(traced(program, '--help').packages).toEqual(['citty'])
    const { out, packages } = traced('--input-type=module', '--eval', EVERY_HELP_TEXT)
    expect(out.match(/USAGE/g)?.length).toBeGreaterThan(50)
    expect(packages).toEqual(['citty'])
  })

  it.each([[['action', 'list-notes', '--title', 'x']], [['jobs', 'list']], [['org', 'list']], [['people', 'list']]])(
    'are not those of the server for fw %j --at',
    args => {
      const { err, packages } = traced(program, ...args, '--at', 'http://localhost:1')
      expect(err).toBe('http://localhost:1 does not answer.\n')
      expect(packages?.filter(name => !/^@?oxc-parser/.test(name))).toEqual(['citty'])
    },
  )
})

describe('fw with an outdated Node.js', () => {
  /** The packed command line without installed packages, on a Node.js that reports an old version. */
  const start = (...args: string[]) => {
    const home = mkdtempSync(join(tmpdir(), 'fw-old-'))
    mkdirSync(join(home, 'cli'))
    cpSync(program, join(home, 'cli/fw.mjs'))
    cpSync(join(platformDir, 'package.json'), join(home, 'package.json'))
    const old = `data:text/javascript,Object.defineProperty(process.versions, 'node', { value: '20.20.2' })`
    writeFileSync(join(home, 'npm'), `#!/bin/sh\necho "npm $*" >&2\necho /bin/echo\n`)
    chmodSync(join(home, 'npm'), 0o755)
    const { stdout, stderr, status } = spawnSync(
      process.execPath,
      ['--import', old, join(home, 'cli/fw.mjs'), ...args],
      {
        env: bareEnv({ PATH: `${home}:/usr/bin:/bin` }),
      },
    )
    return { out: String(stdout), err: String(stderr), status }
  }

  it.skipIf(process.platform === 'win32')('downloads a newer Node.js for fw new and passes its arguments on', () => {
    const { out, err, status } = start('new', 'my-app', '--title', 'My app')
    expect({ out, status }).toEqual({
      out: expect.stringMatching(/cli\/fw\.mjs new my-app --title My app\n$/),
      status: 0,
    })
    expect(err).toMatch(
      /^Node\.js 20\.20\.2 is too old; fetching node-\S+@\d+\.\d+\.\d+ …\nnpm exec --yes --package=node-/,
    )
  })

  it('explains how to install a newer Node.js in a project', () => {
    const { err, status } = start('doctor')
    expect(status).toBe(1)
    expect(err).toMatch(/^fw needs Node\.js 24 or newer; this is 20\.20\.2\. .*npm install --save-optional node-\S+@\d/)
  })
})

it('package.json accepts Node.js 20 or newer, the versions that can start fw', () => {
  const [line] = execFileSync(process.execPath, ['-p', `require('${platformDir}/package.json').engines.node`])
    .toString()
    .split('\n')
  expect(line).toBe('>=20')
})

// Prepares a fresh clone, then runs a command. Every script of package.json begins here, so none requires another one first.
// Usage: node scripts/setup.mjs [prepared] [built] [browser] [nginx] [postgres] [-- command …]
// Packages are always installed; `prepared`: the framework files that types and tests read; `built`: the server of these sources.
// This script has no dependencies, because no package is installed when it first runs.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { findChromium, isHeadlessShell } from './chromium.mjs'
import { findNginx, unpackedNginx } from './nginx.mjs'
import { findPostgres, unpackedPostgres } from './postgres.mjs'
import { applications } from './sample.mjs'

const root = new URL('../', import.meta.url)
const stamp = new URL('node_modules/.setup-stamp', root)
/** The stamp's second line, so that a machine without a headless shell is not asked for one again. */
const NO_SHELL = '\nno headless shell'
const say = text => console.log(`[setup] ${text}`)
const seconds = began => `${((performance.now() - began) / 1000).toFixed(0)} s`

function run(command, args, cwd = root) {
  const shell = process.platform === 'win32'
  return spawnSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'], cwd, shell }).status === 0
}

function installPackages() {
  const hasLockfile = existsSync(new URL('package-lock.json', root))
  const wanted = createHash('sha256')
    .update(readFileSync(new URL(hasLockfile ? 'package-lock.json' : 'package.json', root)))
    .update(`${process.platform} ${process.arch}`)
    .digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8').startsWith(wanted)) return
  say('installing packages: the first run, or the lockfile has changed. This takes one to two minutes …')
  const began = performance.now()
  // Without the lockfile, npm chooses the versions of the day (`npm run test:starter -- fresh`).
  const install = hasLockfile ? ['ci'] : ['install', '--no-package-lock']
  if (!run('npm', [...install, '--no-audit', '--no-fund', '--loglevel=error'])) {
    say(`npm ${install[0]} failed. Its reason is above.`)
    process.exit(1)
  }
  writeFileSync(stamp, wanted)
  say(`packages installed in ${seconds(began)}`)
}

/** Installs the headless shell, also beside another Chromium, which runs the tests where there is no shell to install. */
function installChromium() {
  const found = findChromium()
  if (found && (found === process.env.CHROMIUM_PATH || isHeadlessShell(found))) return
  if (found && readFileSync(stamp, 'utf8').endsWith(NO_SHELL)) return
  say('installing Chromium’s headless shell for the browser tests …')
  const began = performance.now()
  if (!installShell(found ? [] : ['--with-deps']) && !found) aptInstall('chromium')
  const chosen = findChromium()
  if (!chosen) return noChromium()
  if (isHeadlessShell(chosen)) return say(`Chromium installed in ${seconds(began)}`)
  appendFileSync(stamp, NO_SHELL)
  say(`no headless shell could be installed. The tests use ${chosen}, which takes them twice as long.`)
}

function installShell(options) {
  if (existsSync('/usr/bin/apt-get')) apt(['update', '-qq'])
  return (
    aptInstall('chromium-headless-shell') ||
    run('npx', ['playwright-core', 'install', ...options, '--only-shell', 'chromium'])
  )
}

function apt(args) {
  const [command, ...rest] = [...(process.getuid?.() === 0 ? [] : ['sudo', '-n']), 'apt-get', ...args]
  return run(command, rest)
}

const aptInstall = name =>
  existsSync('/usr/bin/apt-get') && apt(['install', '-y', '-qq', '--no-install-recommends', name, 'fonts-liberation'])

function noChromium() {
  say('no Chromium was found or could be installed. Install one and name it in CHROMIUM_PATH.')
  process.exit(1)
}

/**
 * Unpacks nginx without installing it, because the installation starts a service. Without nginx the tests behind a proxy are
 * skipped.
 */
function unpackNginx() {
  if (findNginx() || !existsSync('/usr/bin/apt-get')) return
  mkdirSync(unpackedNginx, { recursive: true })
  const download = () => run('apt-get', ['download', '-qq', 'nginx'], unpackedNginx)
  if (!download() && !(apt(['update', '-qq']) && download())) return
  const file = readdirSync(unpackedNginx).find(name => name.endsWith('.deb'))
  if (run('dpkg-deb', ['-x', file, '.'], unpackedNginx) && findNginx())
    say('nginx unpacked for the tests behind a proxy')
}

/** Unpacks PostgreSQL with its libraries in the same way. Without it the tests that load an export are skipped. */
function unpackPostgres() {
  if (findPostgres() || !existsSync('/usr/bin/apt-get')) return
  mkdirSync(unpackedPostgres, { recursive: true })
  const download = () => {
    const plan = spawnSync('/usr/bin/apt-get', ['install', '--simulate', '--no-install-recommends', 'postgresql'])
    const names = [...String(plan.stdout).matchAll(/^Inst (\S+)/gm)].map(([, name]) => name)
    // Compiled queries need another 100 MB, and these tests none.
    const wanted = names.filter(name => /^(postgresql-(client-)?\d|lib)/.test(name) && !/^lib(llvm|z3|perl)/.test(name))
    return wanted.length > 0 && run('apt-get', ['download', '-qq', ...wanted], unpackedPostgres)
  }
  if (!download() && !(apt(['update', '-qq']) && download())) return
  for (const file of readdirSync(unpackedPostgres).filter(name => name.endsWith('.deb')))
    run('dpkg-deb', ['-x', file, '.'], unpackedPostgres)
  if (findPostgres()) say('PostgreSQL unpacked for the tests of exports')
}

/** Writes `.nuxt` when it is missing; `npm run dev`, `build`, `check` and `test` update it later. */
function prepareFramework() {
  for (const place of applications) {
    if (existsSync(new URL(`${place}/.nuxt/tsconfig.server.json`, root))) continue
    say('preparing the framework …')
    if (!run('nuxt', ['prepare'], new URL(`${place}/`, root))) process.exit(1)
  }
}

async function buildServer() {
  const { buildOnce } = await import('./build.mjs')
  const { ok } = await buildOnce()
  if (!ok) process.exit(1)
}

/** Runs the command with the output, exit code and signals of this process. */
function hand([command, ...args]) {
  const child = spawn(command, args, { stdio: 'inherit', shell: process.platform === 'win32' })
  // A terminal sends ^C to all of its programs, so the child has received it already.
  process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'))
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  child.once('error', error => {
    say(`${command} could not be started: ${error.message}`)
    process.exit(1)
  })
  child.once('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)))
}

const given = process.argv.slice(2)
const end = given.includes('--') ? given.indexOf('--') : given.length
const needs = given.slice(0, end)
installPackages()
if (needs.includes('browser')) installChromium()
if (needs.includes('nginx')) unpackNginx()
if (needs.includes('postgres')) unpackPostgres()
// A build reads the compiler settings, which `prepared` writes.
if (needs.includes('prepared') || needs.includes('built')) prepareFramework()
if (needs.includes('built')) await buildServer()
if (end < given.length) hand(given.slice(end + 1))

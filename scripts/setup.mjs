// Makes a fresh machine ready: installs what the lockfile names, and for tests a Chromium.
// No dependencies, because nothing is installed when it runs first. Usage: node scripts/setup.mjs [browser]
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { findChromium } from './chromium.mjs'

const root = new URL('../', import.meta.url)
const stamp = new URL('node_modules/.setup-stamp', root)
const say = text => console.log(`[setup] ${text}`)
const seconds = began => `${((performance.now() - began) / 1000).toFixed(0)} s`

function run(command, args) {
  const shell = process.platform === 'win32'
  return spawnSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'], cwd: root, shell }).status === 0
}

function installPackages() {
  const wanted = createHash('sha256')
    .update(readFileSync(new URL('package-lock.json', root)))
    .update(`${process.platform} ${process.arch}`)
    .digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  say('installing packages: the first run, or the lockfile has changed. This takes one to two minutes …')
  const began = performance.now()
  if (!run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'])) {
    say('npm ci failed; its reason stands above.')
    process.exit(1)
  }
  writeFileSync(stamp, wanted)
  say(`packages installed in ${seconds(began)}`)
}

function installChromium() {
  if (findChromium()) return
  say('installing Chromium for the browser tests …')
  const began = performance.now()
  if (!withApt() && !run('npx', ['playwright-core', 'install', '--with-deps', '--only-shell', 'chromium']))
    return noChromium()
  if (!findChromium()) return noChromium()
  say(`Chromium installed in ${seconds(began)}`)
}

function withApt() {
  if (!existsSync('/usr/bin/apt-get')) return false
  const sudo = process.getuid?.() === 0 ? [] : ['sudo', '-n']
  const apt = args => run([...sudo, 'apt-get'][0], [...[...sudo, 'apt-get'].slice(1), ...args])
  apt(['update', '-qq'])
  const install = name => apt(['install', '-y', '-qq', '--no-install-recommends', name, 'fonts-liberation'])
  // The headless shell opens pages in half the time; not every system has it.
  return install('chromium-headless-shell') || install('chromium')
}

function noChromium() {
  say('no Chromium was found or could be installed. Install one and name it in CHROMIUM_PATH.')
  process.exit(1)
}

installPackages()
if (process.argv[2] === 'browser') installChromium()

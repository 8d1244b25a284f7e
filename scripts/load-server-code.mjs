// Loads a module of the server outside of the build, with the same short names as in it.
import { mkdirSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { sampleDir } from './sample.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

// A package that stays outside is imported by Node, which wants JSON announced as such.
const bundleJson = {
  name: 'bundle-json',
  setup(build) {
    const fromRoot = createRequire(join(root, 'package.json'))
    build.onResolve({ filter: /^[^.#].*\.json$/ }, ({ path }) => ({ path: fromRoot.resolve(path) }))
  },
}

// Packages of another kind ask for their parts with `require`, which a module does not have.
const REQUIRE = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)"

// It looks for the catalogs from where it lies, so it stays a file of its own.
const ownTexts = {
  name: 'own-texts',
  setup(build) {
    const path = pathToFileURL(join(root, 'layers/fairway/server/kernel/locale-files.ts')).href
    build.onResolve({ filter: /^#fw\/texts$/ }, () => ({ path, external: true }))
  },
}

/** What has a part in a language other than JavaScript: it is found where it is installed. */
const NATIVE = ['@libsql/client', 'libsql']

/**
 * Bundles one TypeScript file (its path from the project's root) with all that it imports from this project, and returns the path of
 * the bundle. `catalogs` names files that stand in for what the build writes, for example `#fw/collections`. With `isWhole` the packages
 * are bundled too: a process that starts with the bundle loads in a third of a second instead of two.
 */
export async function bundleServerCode(path, { catalogs = {}, isWhole = false } = {}) {
  // Below node_modules, so that packages are found from there.
  const folder = join(root, 'node_modules/.cache/fairway')
  mkdirSync(folder, { recursive: true })
  const outfile = join(folder, `${process.pid}-${path.replaceAll('/', '-')}.mjs`)
  await build({
    absWorkingDir: root,
    entryPoints: [path],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'es2024',
    ...(isWhole ? { external: NATIVE, banner: { js: REQUIRE } } : { packages: 'external' }),
    jsx: 'automatic',
    jsxImportSource: 'vue',
    sourcemap: isWhole ? false : 'inline',
    // The one in .nuxt leads to the files of packages, and may not be there yet.
    tsconfigRaw: '{}',
    logLevel: 'error',
    plugins: [bundleJson, ownTexts],
    alias: {
      ...Object.fromEntries(Object.entries(catalogs).map(([name, file]) => [name, join(root, file)])),
      '#fw/config': join(sampleDir, 'fw.config.ts'),
      '#fw': join(root, 'layers/fairway/server/fw.ts'),
      '#fairway': join(root, 'layers/fairway'),
      'nitropack/runtime': join(root, 'scripts/nitro-runtime.mjs'),
    },
  })
  return outfile
}

/** The exports of one TypeScript file, bundled as `bundleServerCode` does, with these catalogs. */
export async function loadServerCode(path, catalogs = {}) {
  const outfile = await bundleServerCode(path, { catalogs })
  try {
    return await import(pathToFileURL(outfile).href)
  } finally {
    rmSync(outfile, { force: true })
  }
}

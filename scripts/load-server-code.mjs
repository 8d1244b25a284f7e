// Loads a module of the server outside the build, with the same short names as in the build.
import { mkdirSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { sampleDir } from './sample.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

// Node requires an import attribute for JSON, so JSON files of external packages are bundled.
const bundleJson = {
  name: 'bundle-json',
  setup(build) {
    const fromRoot = createRequire(join(root, 'package.json'))
    build.onResolve({ filter: /^[^.#].*\.json$/ }, ({ path }) => ({ path: fromRoot.resolve(path) }))
  },
}

// CommonJS packages call `require`, which does not exist in an ES module.
const REQUIRE = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)"

// This module finds the catalogs relative to its own path, so it must stay a separate file.
const ownTexts = {
  name: 'own-texts',
  setup(build) {
    const path = pathToFileURL(join(root, 'layers/fairway/server/kernel/locale-files.ts')).href
    build.onResolve({ filter: /^#fw\/texts$/ }, () => ({ path, external: true }))
  },
}

/** Packages with native code, which must load from their installed folder. */
const NATIVE = ['@libsql/client', 'libsql']

/**
 * Bundles one TypeScript file (its path from the project's root) with all its imports from this project, and returns the path of
 * the bundle. `catalogs` names files that replace generated modules, for example `#fw/collections`. With `isWhole` the packages
 * are bundled too: a process that starts with the bundle then loads in a third of a second instead of two.
 */
export async function bundleServerCode(path, { catalogs = {}, isWhole = false } = {}) {
  // Below node_modules, so that imports of packages resolve from there.
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
    // The tsconfig.json in .nuxt maps to files of packages, and may not exist yet.
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

/** Returns the exports of one TypeScript file, bundled as `bundleServerCode` does, with these catalogs. */
export async function loadServerCode(path, catalogs = {}) {
  const outfile = await bundleServerCode(path, { catalogs })
  try {
    return await import(pathToFileURL(outfile).href)
  } finally {
    rmSync(outfile, { force: true })
  }
}

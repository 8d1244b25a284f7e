import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

interface Locked {
  version?: string
  optionalDependencies?: Record<string, string>
}

const lock = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'))
const packages: Record<string, Locked> = lock.packages
const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))

/** The lowest versions without a known vulnerability that affects us. */
const minimum: Record<string, string> = {
  'better-auth': '1.6.14',
  nuxt: '4.4.7',
  h3: '1.15.6',
  nitropack: '2.13.4',
  'drizzle-orm': '0.45.2',
}

function isAtLeast(version: string, least: string): boolean {
  const numbers = (text: string) => text.split('.').map(Number)
  const [a, b] = [numbers(version), numbers(least)]
  for (const index of [0, 1, 2]) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0)
    if (difference !== 0) return difference > 0
  }
  return true
}

/** The package that Node resolves `name` to from `from`. */
function find(from: string, name: string): Locked | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const found = packages[`${folder ? `${folder}/` : ''}node_modules/${name}`]
    if (found || !folder) return found
  }
}

describe('lockfile', () => {
  it('contains the optional packages of every platform, so npm ci works on each', () => {
    const missing = Object.entries(packages).flatMap(([path, entry]) =>
      Object.keys(entry.optionalDependencies ?? {})
        .filter(name => !find(path, name))
        .map(name => `${path}: ${name}`),
    )
    expect(missing).toEqual([])
  })

  it.each(Object.entries(minimum))('has %s at %s or newer', (name, least) => {
    const version = packages[`node_modules/${name}`]?.version ?? '0.0.0'
    expect([version, isAtLeast(version, least)]).toEqual([version, true])
  })

  it('is based on exact dependency versions in package.json', () => {
    const ranges = Object.entries({
      ...manifest.dependencies,
      ...manifest.devDependencies,
      ...manifest.optionalDependencies,
    })
    expect(ranges.filter(([, range]) => !/^(npm:[\w@/-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(String(range)))).toEqual([])
  })
})

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { discover } from '#fairway/modules/registry/discover'
import { loadCollections } from '#fairway/modules/registry/declarations'
import { DeclarationError } from '#fairway/modules/registry/load-declarations'
import { writeFiles } from '../../support/files'
import { pathClashes, routePlaces } from '#fairway/modules/registry/collections'

const house = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '')
const good = `import { z } from 'zod'
import { defineCollection } from '#fw'
export default defineCollection({ description: 'Items.', item: z.object({ id: z.int() }), source: () => [] })`

function project(files: Record<string, string>): string {
  mkdirSync(join(house, 'test-results'), { recursive: true })
  const root = mkdtempSync(join(house, 'test-results', 'collections-'))
  made.push(root)
  writeFiles(join(root, 'server/collections'), files)
  return root
}

async function faultsOf(files: Record<string, string>): Promise<string[]> {
  const root = project(files)
  try {
    await loadCollections(root, discover(root, 'server/collections'))
    return []
  } catch (error) {
    if (error instanceof DeclarationError) return error.faults
    throw error
  }
}

const made: string[] = []
afterAll(() => made.forEach(root => rmSync(root, { recursive: true })))

describe('loadCollections', () => {
  it('accepts valid collections and an empty folder', async () => {
    expect(await faultsOf({ 'items.ts': good, 'more/others.ts': good })).toEqual([])
    expect(await faultsOf({})).toEqual([])
  })

  it.each([
    ['does not load', `throw new Error('no network here')`, /items\.ts: does not load: no network here/],
    ['exports something else', 'export default {}', /items\.ts: the default export is not made by defineCollection/],
    [
      'has a wrong option, and the option',
      good.replace('source: () => []', 'source: () => [], paginationItemsPerPage: -1'),
      /items\.ts: does not load: defineCollection: paginationItemsPerPage/,
    ],
  ])('names the file that %s', async (_what, text, message) => {
    const faults = await faultsOf({ 'items.ts': text, 'others.ts': good })
    expect(faults).toHaveLength(1)
    expect(faults[0]).toMatch(message)
  })

  it('reports all faults at once', async () => {
    expect(await faultsOf({ 'one.ts': 'throw 1', 'Two.ts': good, 'a/x.ts': good, 'b/x.ts': good })).toHaveLength(3)
  })

  it('reports two files of one type', async () => {
    expect(await faultsOf({ 'item.ts': good, 'items.ts': good })).toEqual([
      'server/collections/item.ts and server/collections/items.ts: both are of the type Item; give one of them a shortName',
    ])
  })
})

describe('pathClashes', () => {
  const file = (name: string) => ({ name, group: 'general', path: `server/collections/${name}.ts` })
  const pages = [
    { path: '/', file: 'app/pages/index.vue' },
    {
      path: '/notes',
      file: 'app/pages/notes.vue',
      children: [{ path: 'archive', file: 'app/pages/notes/archive.vue' }],
    },
    { path: '/things/new', file: 'app/pages/things/new.vue' },
    { path: '/:slug(.*)*', file: 'app/pages/[...slug].vue' },
  ]

  it('reports collections at the path of a page, a route or the framework', () => {
    const names = ['notes', 'things', 'sign-in', 'api', 'items']
    const clashes = pathClashes(names.map(file), pages, routePlaces(house))
    const faults = clashes.map(clash => clash.replaceAll(`${house}/`, ''))
    expect(faults).toEqual([
      'server/collections/notes.ts and app/pages/notes.vue: both are at /notes',
      'server/collections/things.ts and app/pages/things/new.vue: both are at /things/new',
      'server/collections/sign-in.ts and layers/fairway/server/routes/sign-in.ts: both are at /sign-in',
      'server/collections/api.ts and the framework: both are at /api',
    ])
  })
})

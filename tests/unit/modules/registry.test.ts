import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { refuseServerCode } from '#fairway/modules/clashes/import-clashes'
import { discover, nameFaults, toDeclarations } from '#fairway/modules/registry/discover'
import { loadActions } from '#fairway/modules/registry/declarations'
import { DeclarationError } from '#fairway/modules/registry/load-declarations'
import { writeFiles } from '../../support/files'

const house = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '')
const good = `import { z } from 'zod'
import { defineAction } from '#fw'
export default defineAction({ description: 'Does it.', input: z.object({}), run: () => null })`

function project(files: Record<string, string>): string {
  const root = mkdtempSync(join(house, 'test-results', 'registry-'))
  made.push(root)
  writeFiles(join(root, 'server/actions'), files)
  return root
}

async function faultsOf(files: Record<string, string>): Promise<string[]> {
  const root = project(files)
  try {
    await loadActions(root, discover(root, 'server/actions'))
    return []
  } catch (error) {
    if (error instanceof DeclarationError) return error.faults
    throw error
  }
}

mkdirSync(join(house, 'test-results'), { recursive: true })
const made: string[] = []
afterAll(() => made.forEach(root => rmSync(root, { recursive: true })))

describe('the discovery of actions', () => {
  it('uses the file name as name and the folder as group', () => {
    const files = toDeclarations('server/actions', [
      'notes/create-note.ts',
      'ping.ts',
      'notes/_shared.ts',
      'a.test.ts',
      'b.d.ts',
      'read.md',
      '_drafts/x.ts',
    ])
    expect(files).toEqual([
      { name: 'create-note', group: 'notes', path: 'server/actions/notes/create-note.ts' },
      { name: 'ping', group: 'general', path: 'server/actions/ping.ts' },
    ])
  })

  it('returns an empty list for a missing folder', () => {
    expect(discover(tmpdir(), 'no/such/place')).toEqual([])
  })

  it('reports names that are not kebab-case or are used twice', () => {
    const faults = nameFaults(
      toDeclarations('server/actions', ['Create.ts', 'a/send_mail.ts', 'a/list.ts', 'b/list.ts']),
    )
    expect(faults).toHaveLength(3)
    expect(faults.join('\n')).toMatch(/a\/list\.ts and server\/actions\/b\/list\.ts/)
  })
})

describe('loadActions', () => {
  it('accepts a folder of valid actions', async () => {
    expect(await faultsOf({ 'a/one.ts': good, 'two.ts': good })).toEqual([])
  })

  it.each([
    [
      'throws at import',
      `throw new Error('no database here')`,
      /broken\.ts: does not load: no database here.*broken\.ts/s,
    ],
    ['does not parse', 'export default {', /broken\.ts: does not load/],
    ['has no default export', 'export const x = 1', /broken\.ts: the default export is not made by defineAction/],
    [
      'exports something else',
      'export default { run() {} }',
      /broken\.ts: the default export is not made by defineAction/,
    ],
    [
      'misses its description',
      good.replace("description: 'Does it.', ", ''),
      /broken\.ts: does not load: defineAction: description/,
    ],
    [
      'has an address that the build cannot read',
      good.replace('export default', `const path = '/api/x'\nexport default`).replace('({', `({ method: 'POST', path,`),
      /broken\.ts: method and path must be texts in `export default defineAction/,
    ],
    ['imports what is not there', `import '#fw/nothing-there'\n${good}`, /broken\.ts: does not load/],
  ])('names the file that %s', async (_what, text, message) => {
    const faults = await faultsOf({ 'broken.ts': text, 'good.ts': good })
    expect(faults).toHaveLength(1)
    expect(faults[0]).toMatch(message)
  })

  it('reports all faults at once', async () => {
    expect(
      await faultsOf({ 'one.ts': 'throw 1', 'two.ts': 'throw 2', 'a/three.ts': good, 'b/three.ts': good }),
    ).toHaveLength(3)
  })
})

describe('refuseServerCode', () => {
  it('rejects only server files in the browser bundle', () => {
    const load = (id: string) =>
      refuseServerCode('/app/server/').load.call(
        {
          error: message => {
            throw new Error(message)
          },
        },
        id,
      )
    expect(() => load('/app/server/domains/sessions/index.ts')).toThrow('server/domains/sessions/index.ts')
    expect(() => load('/app/shared/paths.ts')).not.toThrow()
    expect(() => load('/app/server-pages/x.ts')).not.toThrow()
  })
})

describe('an input field that refers to a collection', () => {
  const choosing = (collection: string) => `import { z } from 'zod'
import { defineAction } from '#fw'
const input = z.object({ id: z.string().meta({ collection: '${collection}' }) })
export default defineAction({ description: 'Does it.', input, run: () => null })`

  it('must name an existing collection', async () => {
    expect(await faultsOf({ 'choose.ts': choosing('team-members') })).toEqual([])
    expect(await faultsOf({ 'choose.ts': choosing('books') })).toEqual([
      'server/actions/choose.ts: input: there is no collection books; there are organization-teams, team-members',
    ])
  })
})

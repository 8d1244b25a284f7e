import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { planMigration } from '#fairway/cli/generate/migration'
import { planRemoval } from '#fairway/cli/generate/resource-removal'
import { planResource, type ResourceArgs } from '#fairway/cli/generate/resource-plan'
import { writeChanges } from '#fairway/cli/project/changes'
import { UsageFault } from '#fairway/cli/terminal'
import { filesBelow } from '#fairway/modules/registry/discover'
import { loadTables, unmigratedTables } from '#fairway/modules/tables'
import { writeFiles } from '../../../support/files'
import { startFw } from '../../../support/fw'
import { newApplication, writeMigrationsByHand } from '../../../support/new-application'

let app: string
const write = (path: string, text: string) => writeFiles(app, { [path]: text })
const read = (path: string) => readFileSync(join(app, path), 'utf8')
const edit = (path: string, from: string, to: string) => write(path, read(path).replace(from, to))
const files = () => filesBelow(app, /^node_modules$/).toSorted()
const unmigrated = async () => unmigratedTables(app, (await loadTables(app, { again: true })).files)

async function generate(name: string, fields: readonly string[], args: Partial<ResourceArgs> = {}): Promise<void> {
  writeChanges(app, (await planResource(app, { name, fields, isOrg: true, force: false, ...args })).changes)
}

const plan = (name: string, args: { force?: boolean; plural?: string } = {}) =>
  planRemoval(app, { name, force: false, ...args })

async function remove(name: string, args?: { force?: boolean; plural?: string }) {
  const made = await plan(name, args)
  writeChanges(app, made.changes)
  return made
}

let crm: { dir: string; empty: string[]; companies: string[] }
/** Companies, and deals that refer to them; generated once. */
beforeAll(async () => {
  app = newApplication()
  const empty = files()
  await generate('company', ['name:text'])
  const companies = files()
  await generate('deal', ['title:text', 'company:ref(companies)?'])
  crm = { dir: app, empty, companies }
})
beforeEach(() => {
  app = newApplication(crm.dir)
})

describe('fw remove resource', () => {
  it('deletes the generated files and folders and drops the table in a migration', async () => {
    const before = read('drizzle/0001_deals.sql')
    const { kept, remarks } = await remove('deal')
    expect(kept).toEqual([])
    const migrations = ['drizzle/0001_deals.sql', 'drizzle/0002_drop_deals.sql']
    const snapshots = ['drizzle/meta/0001_snapshot.json', 'drizzle/meta/0002_snapshot.json']
    expect(files()).toEqual([...crm.companies, ...migrations, ...snapshots].toSorted())
    expect(existsSync(join(app, 'app/pages/deals'))).toBe(false)
    expect(read('drizzle/0001_deals.sql')).toBe(before)
    expect(read('drizzle/0002_drop_deals.sql')).toBe('DROP TABLE `deals`;')
    expect(remarks).toEqual([expect.stringMatching(/^1 migration drops the table deals\. The rows are lost/)])
    expect(await unmigrated()).toEqual([])
  })

  it('takes only its own question out of the approvals', async () => {
    const questions = () => Object.keys(JSON.parse(read('app/locales/en/approval.json')).approval.questions)
    edit('app/locales/en/approval.json', 'Delete the deal', 'Drop the deal')
    expect(questions()).toEqual(['delete-company', 'delete-deal'])
    await remove('deal')
    expect(questions()).toEqual(['delete-company'])
  })

  it('keeps the question of a deletion that stays', async () => {
    edit('server/actions/deals/delete-deal.ts', 'for good', 'at once')
    await remove('deal')
    expect(read('app/locales/en/approval.json')).toContain('delete-deal')
  })

  it('leaves an empty application, except for migrations, after removing the last resource', async () => {
    await remove('deal')
    await remove('company')
    expect(files().filter(path => !path.startsWith('drizzle/'))).toEqual(crm.empty)
    expect(readdirSync(join(app, 'drizzle')).filter(name => name.endsWith('.sql'))).toHaveLength(4)
    expect(await unmigrated()).toEqual([])
  })

  it('allows the resource to be generated and removed again', async () => {
    await remove('deal')
    await generate('deal', ['title:text', 'amount:integer?', 'company:ref(companies)'])
    expect(read('drizzle/0003_deals.sql')).toContain('CREATE TABLE `deals`')
    expect(await unmigrated()).toEqual([])
    expect((await remove('deal')).kept).toEqual([])
  })

  it('removes a personal resource with a custom plural and its texts in each language', async () => {
    write('app/locales/de.json', '{ "pages": { "home": "Start" } }')
    await generate('datum', ['name:text'], { isOrg: false, plural: 'measurements' })
    expect(existsSync(join(app, 'app/locales/de/measurements.json'))).toBe(true)
    expect((await remove('datum', { plural: 'measurements' })).kept).toEqual([])
    expect(files().filter(path => /measurement/.test(path))).toEqual([
      'drizzle/0002_measurements.sql',
      'drizzle/0003_drop_measurements.sql',
    ])
    expect(files()).toContain('app/locales/de.json')
  })

  it('keeps the language of a folder that becomes empty, for what is generated later', async () => {
    write('app/locales/de/tasks.json', '{ "tasks": { "name": "Aufgaben" } }')
    await generate('task', ['title:text'], { force: true })
    await remove('task', { force: true })
    expect(files().filter(path => path.startsWith('app/locales/de/'))).toEqual(['app/locales/de/language.json'])
    await generate('lesson', ['title:text'])
    expect(JSON.parse(read('app/locales/de/lessons.json')).lessons.save).toBe('Speichern')
  })

  it('writes no migration when the author writes migrations by hand', async () => {
    writeMigrationsByHand(app)
    const { changes, remarks } = await plan('deal')
    expect(changes.filter(({ path }) => path.startsWith('drizzle/'))).toEqual([])
    expect(remarks).toEqual([expect.stringContaining('written by hand')])
  })
})

describe('fw remove resource with edited files', () => {
  it('keeps edited files and the files they use, and deletes the others', async () => {
    edit('server/actions/deals/delete-deal.ts', 'for good', 'at once')
    const { kept, changes } = await remove('deal')
    expect(kept).toEqual([
      { path: 'server/actions/deals/delete-deal.ts', why: 'you have edited it' },
      { path: 'server/database/deals.ts', why: 'server/actions/deals/delete-deal.ts uses it' },
      // Undoing a deletion creates the row again.
      { path: 'server/actions/deals/create-deal.ts', why: 'server/actions/deals/delete-deal.ts uses it' },
      { path: 'server/collections/deal-list.ts', why: 'server/database/deals.ts uses it' },
      { path: 'app/locales/en/deals.json', why: 'server/collections/deal-list.ts uses it' },
    ])
    // The table stays with its rows.
    expect(changes.map(({ path }) => path).filter(path => path.startsWith('drizzle/'))).toEqual([])
    expect(existsSync(join(app, 'app/pages/deals'))).toBe(false)
    expect(await unmigrated()).toEqual([])
  })

  it('deletes edited files with --force', async () => {
    writeMigrationsByHand(app)
    edit('server/database/deals.ts', `delete: 'member'`, `delete: 'admin'`)
    edit('app/pages/deals/index.vue', 'i-lucide-list', 'i-lucide-handshake')
    write('app/locales/fr/deals.json', '{ "deals": { "name": "Affaires" } }')
    const { kept } = await plan('deal')
    expect(kept.filter(({ why }) => why === 'you have edited it').map(({ path }) => path)).toEqual([
      'server/database/deals.ts',
      'app/pages/deals/index.vue',
      'app/locales/fr/deals.json',
    ])
    expect((await remove('deal', { force: true })).kept).toEqual([])
    expect(files().filter(path => path.includes('deal') && !path.startsWith('drizzle/'))).toEqual([])
  })

  it('lists each table in edited files that --force drops', async () => {
    const path = 'server/database/deals.ts'
    edit(
      path,
      '\nexport const dealId',
      `\nexport const steps = sqliteTable('steps', { id: text('id') })\n\nexport const dealId`,
    )
    const table = { path, after: read(path) }
    writeChanges(app, (await planMigration(app, { table, name: 'steps' })).changes)
    const { remarks } = await plan('deal', { force: true })
    expect(remarks).toEqual([expect.stringContaining('1 migration drops the tables deals, steps.')])
  })
})

describe('fw remove resource for a resource in use', () => {
  it('refuses while another table refers to it, even with --force', async () => {
    for (const force of [false, true]) {
      const refused = plan('company', { force })
      await expect(refused).rejects.toThrow(UsageFault)
      await expect(refused).rejects.toThrow('other tables refer to it: deals (server/database/deals.ts)')
    }
  })

  it.each([
    ['server/actions/close-deals.ts', `import { deals } from '../database/deals'`, 'server/database/deals.ts'],
    ['server/tasks/clean.ts', `const { deals } = await import('~~/server/database/deals')`, 'server/database/deals.ts'],
    ['server/tasks/clean.ts', `import {\n  deals,\n} from '#server/database/deals'`, 'server/database/deals.ts'],
    ['app/pages/index.vue', `useAction('create-deal')`, 'server/actions/deals/create-deal.ts'],
    ['app/pages/index.vue', `useCollection('deal-list')`, 'server/collections/deal-list.ts'],
    ['app/pages/board.vue', '<template><DealFields /></template>', 'app/components/DealFields.vue'],
    ['app/pages/board.vue', `{{ t('deals.name') }}`, 'app/locales/en/deals.json'],
  ])('refuses while %s has %s', async (path, text, used) => {
    write(path, text)
    await expect(plan('deal')).rejects.toThrow(`\n  ${path} uses ${used}\n`)
  })

  it('ignores files that only use similar names', async () => {
    writeMigrationsByHand(app)
    write(
      'server/tasks/clean.ts',
      `import { deals } from '../database/deals-of-others'\nconst name = 'deal-list-of-others'`,
    )
    expect((await plan('deal')).kept).toEqual([])
  })
})

it.each([
  ['ticket', 'There is no resource ticket: server/database/tickets.ts is missing. There are: companies, deals.'],
  ['issue', 'is no table that was generated'],
])('fw remove resource refuses %s, which is not a resource', async (name, reason) => {
  if (name === 'issue') write('server/database/issues.ts', 'export const issues = 1\n')
  const refused = plan(name)
  await expect(refused).rejects.toThrow(UsageFault)
  await expect(refused).rejects.toThrow(reason)
})

describe('fw remove resource output', () => {
  const fw = (...args: string[]) => startFw(['remove', 'resource', ...args], {}, app).ended

  it('shows all changes and writes nothing with --dry-run', async () => {
    const before = files()
    const { code, out } = await fw('deal', '--dry-run')
    expect([code, out]).toEqual([0, expect.stringContaining('+DROP TABLE `deals`;')])
    expect(out).toContain('  deleted  server/database/deals.ts\n')
    expect(files()).toEqual(before)
  })

  it('lists the kept files with reasons and exits with 1', async () => {
    writeMigrationsByHand(app)
    edit('tests/deals.test.ts', 'import', '// Mine.\nimport')
    const { code, out } = await fw('deal')
    expect([code, out]).toEqual([1, expect.stringContaining('  stays    tests/deals.test.ts (you have edited it)\n')])
    expect(out).toContain('`--force`')
  })

  it('explains in a sentence why nothing is removed and exits with 2', async () => {
    const { code, err } = await fw('company')
    expect([code, err]).toEqual([2, expect.stringContaining('companies cannot be removed')])
  })
})

import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { FIELD_TYPES, isFile, parseFields } from '#fairway/cli/generate/fields'
import { readFields } from '#fairway/cli/generate/read-fields'
import { pluralOf, toKebab } from '#fairway/cli/generate/names'
import type { GeneratePlan } from '#fairway/cli/generate/plan'
import { planResource, type ResourceArgs } from '#fairway/cli/generate/resource-plan'
import { writeChanges } from '#fairway/cli/project/changes'
import { loadTables, unmigratedTables } from '#fairway/modules/tables'
import { templateFiles, templateValues } from '#fairway/cli/project/template'
import { migrate } from '#fairway/server/kernel/database/migrate'
import { readMigrationFolder } from '#fairway/server/kernel/database/migrations'
import { openEmptyDatabase, quietLog } from '../../../support/database'
import { writeFiles } from '../../../support/files'
import { newApplication, writeMigrationsByHand } from '../../../support/new-application'
import { catalogFaults, englishOf, sourcesBelow, useFaults } from '../../../support/texts'
import { UsageFault } from '#fairway/cli/terminal'

const root = fileURLToPath(new URL('../../../..', import.meta.url)).replace(/\/$/, '')
const ISSUE = ['title:text', 'status:enum(open,done)', 'dueAt:date']
const EVERYTHING = [
  'name:text',
  'summary:longtext?',
  'seats:integer',
  'rooms:integer?',
  'contact:email',
  'website:url?',
  'budget:number',
  'spent:number?',
  'price:money(EUR)',
  'fee:money(JPY)?',
  'options:json',
  'settings:json?',
  'urgent:boolean',
  'starts:datetime',
  'ends:datetime?',
  'day:date?',
  'kind:enum(small,large)?',
  'priority:enum(low,middle,high,very-high,extremely-high,beyond-all-measure)',
  'assignee:person?',
  'lead:person',
  'code:text?',
  'contract:file',
  'attachments:files',
]

let app: string
const write = (path: string, text: string) => writeFiles(app, { [path]: text })
const read = (path: string) => readFileSync(join(app, path), 'utf8')
const paths = (changes: GeneratePlan['changes']) => changes.map(({ path }) => path)

// drizzle-kit takes a second for each migration. Tests of migrations use the applications below.
beforeEach(() => {
  app = newApplication()
  byHand()
})

const plan = (name: string, fields: readonly string[], args: Partial<ResourceArgs> = {}) =>
  planResource(app, { name, fields, isOrg: false, force: false, ...args })

async function generate(name: string, fields: readonly string[], args?: Partial<ResourceArgs>): Promise<GeneratePlan> {
  const made = await plan(name, fields, args)
  writeChanges(app, made.changes)
  return made
}

let issues: { dir: string; made: GeneratePlan }
let companies: string
/** Issues of an organization, and companies that others can refer to; each generated once. */
beforeAll(async () => {
  app = newApplication()
  issues = { dir: app, made: await generate('issue', ISSUE, { isOrg: true }) }
  app = companies = newApplication()
  await generate('company', ['name:text', 'country:text'], { isOrg: true })
})

const withIssues = () => void (app = newApplication(issues.dir))
const withCompanies = () => void (app = newApplication(companies))
const byHand = () => writeMigrationsByHand(app)

/** Throws when files are not formatted or have lint errors. */
function expectTidy(): void {
  const bin = (name: string) => join(root, 'node_modules/.bin', name)
  const parts = ['server', 'app', 'tests']
  execFileSync(bin('oxfmt'), ['-c', join(root, '.oxfmtrc.json'), '--check', ...parts], { cwd: app })
  execFileSync(bin('oxlint'), ['-c', join(root, '.oxlintrc.json'), '--deny-warnings', ...parts], { cwd: app })
}

describe('fw generate resource', () => {
  it('writes a table, a migration, four actions, a collection, two pages, texts and a test', async () => {
    withIssues()
    const { changes, kept } = issues.made
    expect(paths(changes)).toEqual([
      'server/database/issues.ts',
      'server/actions/issues/create-issue.ts',
      'server/actions/issues/delete-issue.ts',
      'server/actions/issues/get-issue.ts',
      'server/actions/issues/update-issue.ts',
      'server/collections/issue-list.ts',
      'app/components/IssueFields.vue',
      'app/pages/issues/index.vue',
      'app/pages/issues/[id].vue',
      'app/locales/en/issues.json',
      'app/locales/en/approval.json',
      'tests/issues.test.ts',
      'drizzle/0000_issues.sql',
      'drizzle/meta/0000_snapshot.json',
      'drizzle/meta/_journal.json',
    ])
    expect(kept).toEqual([])
    // No other files are left. A folder .nuxt would change where Nuxt builds.
    expect(readdirSync(app).filter(name => name.startsWith('.'))).toEqual(['.gitignore'])
    expect(read('drizzle/0000_issues.sql')).toMatch(/`status` text DEFAULT 'open' NOT NULL,\s+`due_at` text NOT NULL/)
  })

  it('shows the person behind a row with name and picture, next to a field of the same name', async () => {
    withIssues()
    byHand()
    await generate('note', ['title:text', 'owner:text?'])
    const shared = read('server/collections/issue-list.ts')
    expect(shared).toContain(`people: { creator: 'createdBy' },`)
    expect(shared).toContain('creator: shownPersonSchema.nullable()')
    const own = read('server/collections/note-list.ts')
    expect(own).toContain(`people: { ownerPerson: 'ownerEmail' },`)
    expect(own).toContain('ownerPerson: shownPersonSchema')
    expectTidy()
  })

  it('asks before a deletion in each language, and keeps the questions of other resources', async () => {
    write('app/locales/de/language.json', '{ "name": "Deutsch", "direction": "ltr" }')
    write('app/locales/de/approval.json', '{ "approval": { "questions": { "delete-deal": "Weg damit?" } } }')
    await generate('issue', ISSUE, { isOrg: true })
    await generate('note', ['title:text'])
    const questions = (language: string) => JSON.parse(read(`app/locales/${language}/approval.json`)).approval.questions
    expect(questions('en')).toEqual({
      'delete-issue': 'Delete the issue “{title}”?',
      'delete-note': 'Delete the note “{title}”?',
    })
    expect(questions('de')).toEqual({
      'delete-deal': 'Weg damit?',
      'delete-issue': 'Issue „{title}“ löschen?',
      'delete-note': 'Note „{title}“ löschen?',
    })
    expect((await plan('issue', ISSUE, { isOrg: true })).changes).toEqual([])
  })

  it('lets organization members edit together with --org, and otherwise stores rows for one person', async () => {
    withIssues()
    byHand()
    await generate('note', ['title:text'])
    expect(read('server/actions/issues/create-issue.ts')).toContain('...inOrganization(session)')
    expect(read('server/database/issues.ts')).toContain('...organizationColumns()')
    expect(read('server/collections/issue-list.ts')).toContain('guard: requireOrganization()')
    for (const file of ['actions/notes/create-note.ts', 'actions/notes/get-note.ts', 'collections/note-list.ts'])
      expect(read(`server/${file}`)).not.toMatch(/inOrganization|requireOrganization/)
  })

  it('writes pages of at most 80 lines, with a slot for each cell that is more than its text', async () => {
    withIssues()
    const [list, item] = [read('app/pages/issues/index.vue'), read('app/pages/issues/[id].vue')]
    expect(`${list}${item}`.split('\n').length).toBeLessThan(80)
    expect(list).toContain(`:columns="['status', 'dueAt', 'updatedAt']"`)
    expect(list.match(/#cell-\w+/g)).toEqual(['#cell-status', '#cell-dueAt'])
    expect(item).toContain(`:fields="['title', 'status', 'dueAt']"`)
  })

  it('lists the name of a team, which people choose from those of the organization', async () => {
    await generate('issue', ['title:text', 'crew:team', 'lead:team?'], { isOrg: true })
    const table = read('server/database/issues.ts')
    expect(table).toContain(`crewId: teamColumn('crew_id'),\n    leadId: teamColumn('lead_id'),`)
    expect(table).toContain('crewId: teamSchema.nullable(),\n  leadId: teamSchema.nullable(),')
    expect(read('server/collections/issue-list.ts')).toContain(
      'columns: { crewName: teamName(issues.crewId), leadName: teamName(issues.leadId) },',
    )
    expect(read('app/pages/issues/index.vue')).toContain(`{ key: 'crewName', label: $t('issues.fields.crewId') }`)
    expect(read('app/components/IssueFields.vue')).toContain(`collection="organization-teams" title="name"`)
    expect(JSON.parse(read('app/locales/en/issues.json')).issues.fields).toMatchObject({
      crewId: 'Crew',
      leadId: 'Lead',
    })
    expectTidy()
  })

  it('writes formatted code without lint errors for every field type', async () => {
    await generate('project', [...EVERYTHING, 'crew:team'], { isOrg: true })
    await generate('purchase-order-item', [
      'short-description:text',
      'expectedDelivery:datetime?',
      'responsible:person?',
    ])
    expectTidy()
  })

  it.each([true, false])(
    'uses every text that it writes, and writes every text that it uses (--org %s)',
    async isOrg => {
      await generate('project', EVERYTHING, { isOrg })
      await generate('project', [], { isThere: true, hasImport: true })
      const platformApp = join(root, 'layers/fairway/app')
      const sources = [...sourcesBelow(app, ['app/{pages,components}/**/*.vue']).values()].join('\n')
      const own = new Map([...englishOf([join(app, 'app')])].filter(([key]) => key.startsWith('projects.')))
      // The components of the pages take the group of the texts as a property.
      const components = ['List', 'Page'].map(name =>
        readFileSync(join(platformApp, `components/kit/FwResource${name}.vue`), 'utf8'),
      )
      const [named, mentioned] = [/\btext\('([\w.]+)'/g, /'([a-z][\w.]*)'/gi].map(pattern =>
        [...components.join('').matchAll(pattern)].map(([, key]) => `projects.${key}`),
      )
      if (isOrg) expect(named?.filter(key => !own.has(key))).toEqual([])
      const composed = [
        '`projects.fields.${name}`',
        ...(mentioned ?? []).filter(key => own.has(key)).map(key => `'${key}'`),
      ]
      const { missing, unused } = useFaults(
        new Map([...englishOf([platformApp]), ...own]),
        [sources, ...composed].join('\n'),
      )
      expect(missing).toEqual([])
      expect(unused.filter(key => key.startsWith('projects.'))).toEqual([])
    },
  )

  it('writes separate text files for each language and reports languages that stay English', async () => {
    write('app/locales/de.json', '{ "pages": { "home": "Start" } }')
    write('app/locales/ar/home.json', '{ "home": { "lead": "…" } }')
    write('app/locales/fr/language.json', '{ "name": "Français", "direction": "ltr" }')
    const { remarks } = await generate('issue', ISSUE, { isOrg: true })
    expect(JSON.parse(read('app/locales/de/issues.json')).issues).toMatchObject({
      name: 'Issues',
      save: 'Speichern',
      fields: { title: 'Titel', dueAt: 'Fällig' },
    })
    expect(JSON.parse(read('app/locales/ar/issues.json')).issues).toMatchObject({ save: 'حفظ', name: 'Issues' })
    expect(read('app/locales/de.json')).toBe('{ "pages": { "home": "Start" } }')
    expect(existsSync(join(app, 'app/locales/fr/issues.json'))).toBe(false)
    expect(remarks.toSorted()).toEqual([
      expect.stringContaining('In fr, these texts are English'),
      expect.stringContaining('Migrations are written by hand'),
      expect.stringMatching(/^Translate in app\/locales\/ar\/issues\.json: Issue, Issues, /),
      expect.stringMatching(/^Translate in app\/locales\/de\/issues\.json: Issue, Issues, /),
    ])
    const more = await generate('issue', ['roomSize:integer?'], { isOrg: true, isThere: true })
    expect(more.remarks.filter(remark => remark.includes('/de/'))).toEqual([
      'Translate in app/locales/de/issues.json: Room size.',
    ])
    const faults = catalogFaults(join(app, 'app'), join(root, 'layers/fairway/app'), {})
    expect(faults.filter(fault => fault.includes('issues.json') && !fault.startsWith('fr/'))).toEqual([])
  })

  it('sorts lists by the first date, or else by title', async () => {
    withCompanies()
    byHand()
    await generate('note', ['title:text', 'startsAt:datetime?', 'dueAt:date?'])
    const order = (path: string) => /defaultOrder: .*/.exec(read(`server/collections/${path}.ts`))?.[0]
    expect(order('company-list')).toBe(`defaultOrder: [{ field: 'name', direction: 'ASC' }],`)
    expect(order('note-list')).toBe(`defaultOrder: [{ field: 'startsAt', direction: 'ASC' }],`)
    expect(read('app/pages/notes/index.vue')).toContain('<FwTime v-if="item.startsAt" :at="item.startsAt" />')
  })

  it('accepts no negative numbers and amounts, and only pictures as a photo', async () => {
    const fields = ['name:text', 'capacity:integer', 'price:money(EUR)', 'coverPhoto:file', 'terms:file', 'logo:files']
    await generate('room', fields, { isOrg: true })
    expect(read('server/database/rooms.ts')).toMatch(
      /capacity: z\.int\(\)\.min\(0\),\n {2}price: moneySchema\('EUR', \{ min: 0 \}\),/,
    )
    const accepted = (upload: string) => /accept: .*/.exec(read(`server/uploads/room-${upload}.ts`))?.[0]
    expect(accepted('cover-photo')).toBe(`accept: ['image/*'],`)
    expect(accepted('logo')).toBe(`accept: ['image/*'],`)
    expect(accepted('terms')).toContain('application/pdf')
    expectTidy()
  })

  it('reads numbers and amounts without bounds, as earlier versions wrote them', async () => {
    const fields = ['name:text', 'capacity:integer?', 'price:money(EUR)']
    await generate('room', fields, { isOrg: true })
    const path = 'server/database/rooms.ts'
    write(path, read(path).replace('.min(0)', '').replace(', { min: 0 }', ''))
    expect(await plan('room', fields, { isOrg: true })).toMatchObject({ changes: [], kept: [] })
  })

  it('writes no migration when the author writes migrations by hand', async () => {
    const { changes, remarks } = await generate('issue', ISSUE)
    expect(paths(changes).filter(path => path.startsWith('drizzle/'))).toEqual([])
    expect(remarks).toEqual([expect.stringContaining('written by hand')])
  })
})

describe('fw generate resource with a reference field', () => {
  const contacts = (fields: readonly string[] = ['name:text', 'company:ref(companies)']) =>
    generate('contact', fields, { isOrg: true })

  it('writes a two-column foreign key, joined title, filter and picker, and the test creates the referenced rows', async () => {
    withCompanies()
    await contacts()
    await generate('offer', ['title:text', 'contact:ref(contacts)', 'company:ref(companies)?'], { isOrg: true })
    expect(read('server/database/contacts.ts')).toMatch(
      /companyId: text\('company_id'\)\.notNull\(\)[^]*references\(\{ orgId: table\.orgId, id: table\.companyId \}, companies\)/,
    )
    expect(read('drizzle/0001_contacts.sql')).toContain(
      'FOREIGN KEY (`org_id`,`company_id`) REFERENCES `companies`(`org_id`,`id`) ON UPDATE no action ON DELETE no action',
    )
    expect(read('drizzle/0000_companies.sql')).toContain('CREATE UNIQUE INDEX `companies_org_id`')
    expect(read('server/collections/contact-list.ts')).toContain('columns: { companyTitle: companies.name }')
    expect(read('app/components/ContactFields.vue')).toContain('<FwItemPicker v-model="draft.companyId"')
    expect(JSON.parse(read('app/locales/en/contacts.json')).contacts.fields.companyId).toBe('Company')
    expect(read('tests/offers.test.ts')).toMatch(
      /const company = await[^]*const contact = await[^]*contactId: contact\.id/,
    )
    expect(await unmigratedTables(app, (await loadTables(app)).files)).toEqual([])
    expectTidy()
  })

  it('supports references to its own table and several references to another table', async () => {
    withCompanies()
    const fields = ['name:text', 'lead:ref(contacts)?', 'employer:ref(companies)', 'biller:ref(companies)?']
    await contacts(fields)
    await generate('contact', [], { isThere: true, hasImport: true })
    expect(read('server/collections/contact-list.ts')).toContain(`const leadRow = alias(contacts, 'lead')`)
    expect(read('drizzle/0001_contacts.sql').match(/FOREIGN KEY/g)).toHaveLength(3)
    expect((await contacts(fields)).changes).toEqual([])
    expect(await unmigratedTables(app, (await loadTables(app)).files)).toEqual([])
    expectTidy()
  })

  it('reaches the import, the test and a second run through a chain of required references', async () => {
    const chain = async () => [
      await generate('building', ['name:text'], { isOrg: true }),
      await generate('room', ['name:text', 'building:ref(buildings)'], { isOrg: true }),
      await generate('lesson', ['title:text', 'room:ref(rooms)', 'site:ref(buildings)'], { isOrg: true }),
      await generate('lesson', [], { isThere: true, hasImport: true }),
    ]
    await chain()
    expect(read('server/actions/lessons/import-lessons.ts')).toContain(
      'roomId: { table: rooms, title: rooms.name }, siteId: { table: buildings, title: buildings.name } },',
    )
    expect(read('app/pages/lessons/index.vue')).toContain(`{ name: 'roomId', isRequired: true }`)
    const test = read('tests/lessons.test.ts')
    expect(test).toMatch(/const building = await[^]*const room = await[^]*roomId: room\.id, siteId: building\.id/)
    expect(test.match(/const (building|room) = /g)).toHaveLength(2)
    expect(test).toContain('const byTitle = { ...lesson, roomId: room.name, siteId: building.name }')
    expectTidy()
    for (const again of await chain()) expect([again.changes, again.kept]).toEqual([[], []])
  })

  it('is read back from the generated files', async () => {
    withCompanies()
    byHand()
    await contacts()
    expect((await contacts([])).changes).toEqual([])
    expect((await contacts(['email:email?'])).kept).toEqual([])
    expect(read('server/database/contacts.ts')).toContain('references(')
  })

  it.each([
    [['name:text', 'company:ref(firms)'], true, 'There is no server/database/firms.ts'],
    [['name:text', 'company:ref'], true, 'needs the plural'],
    [['name:text', 'company:ref(companies)'], false, 'say --org'],
    [['name:text', 'lead:ref(contacts)'], true, 'The first of the contacts has none to refer to'],
    [
      ['name:text', 'company:ref(companies)', 'companyTitle:text'],
      true,
      'The list has companyTitle from the reference',
    ],
  ])('refuses %j (--org %s): %s', async (fields, isOrg, reason) => {
    withCompanies()
    await expect(generate('contact', fields, { isOrg })).rejects.toThrow(reason)
  })

  it('is refused in a circle', async () => {
    withCompanies()
    byHand()
    await contacts()
    await expect(generate('company', ['chief:ref(contacts)?'])).rejects.toThrow('Contacts refer to the companies')
  })

  it('is added to an existing table, which keeps its rows and their references', async () => {
    const db = await openEmptyDatabase()
    const migrateNow = async () => migrate(db, await readMigrationFolder(join(app, 'drizzle')), quietLog)
    withCompanies()
    await contacts(['name:text', 'lead:ref(contacts)?'])
    await migrateNow()
    const insert = 'insert into contacts (id, org_id, created_by_name, name, lead_id, created_at, updated_at) values'
    await db.client.execute(`${insert} ('1', 'o', 'Ada', 'One', null, 0, 0), ('2', 'o', 'Ada', 'Two', '1', 0, 0)`)
    const { kept } = await contacts(['company:ref(companies)?', 'state:enum(new,old)'])
    expect(kept).toEqual([])
    await migrateNow()
    const { rows } = await db.client.execute('select id, lead_id, company_id, state from contacts order by id')
    expect(rows.map(row => Object.values(row))).toEqual([
      ['1', null, null, 'new'],
      ['2', '1', null, 'new'],
    ])
    await expect(db.client.execute(`update contacts set company_id = 'none'`)).rejects.toThrow('FOREIGN KEY')
    expect(await unmigratedTables(app, (await loadTables(app)).files)).toEqual([])
    await db.close()
  })
})

describe('fw generate resource on a second run', () => {
  it('reports no changes', async () => {
    withIssues()
    expect(await plan('issue', ISSUE, { isOrg: true })).toMatchObject({ changes: [], kept: [] })
    expect(await plan('issue', [])).toMatchObject({ changes: [], kept: [] })
  })

  it('reports no changes for the notes of a new project, including the migration', async () => {
    for (const [path, text] of templateFiles('notes', templateValues('tracker', 'Tracker', '0.1.0'))) write(path, text)
    expect(await plan('note', [])).toMatchObject({ changes: [], kept: [] })
    expect(await unmigratedTables(app, (await loadTables(app)).files)).toEqual([])
  })

  it('keeps a file that the author edited and overwrites it only with --force', async () => {
    withIssues()
    const path = 'app/pages/issues/index.vue'
    const own = read(path).replace('i-lucide-list', 'i-lucide-bug')
    write(path, own)
    const again = await generate('issue', ISSUE)
    expect([again.changes, again.kept]).toEqual([[], []])
    expect(read(path)).toBe(own)
    await generate('issue', ISSUE, { force: true })
    expect(read(path)).not.toContain('i-lucide-bug')
  })

  it('writes a deleted file again', async () => {
    withIssues()
    const before = read('tests/issues.test.ts')
    execFileSync('rm', [join(app, 'tests/issues.test.ts')])
    expect(paths((await generate('issue', ISSUE)).changes)).toEqual(['tests/issues.test.ts'])
    expect(read('tests/issues.test.ts')).toBe(before)
  })
})

describe('fw generate resource with a field that its author has rewritten', () => {
  const size = (text: string) =>
    text
      .replace('dueAt: z.iso.date(),', 'dueAt: z.string(),')
      .replace(/( dueAt: text.*)\.notNull\(\),/, `$1.default(''),`)

  it('leaves the field alone in a second run and names it when the import lacks it', async () => {
    withIssues()
    write('server/database/issues.ts', size(read('server/database/issues.ts')))
    expect(await plan('issue', ISSUE, { isOrg: true })).toMatchObject({ changes: [], kept: [] })
    const { remarks } = await plan('issue', [], { isThere: true, hasImport: true })
    expect(remarks).toEqual([expect.stringContaining('dueAt is a field of your own: add it to the import')])
  })

  it('adds only the new field, and each text once', async () => {
    withIssues()
    write('server/database/issues.ts', size(read('server/database/issues.ts')))
    const path = 'app/locales/en/issues.json'
    write(path, read(path).replace('"Due at"', '"Until"'))
    await generate('issue', [...ISSUE, 'urgent:boolean'])
    expect(
      read(path)
        .match(/"(dueAt|urgent)": .*/g)
        ?.toSorted(),
    ).toEqual(['"dueAt": "Until",', '"urgent": "Urgent",'])
  })
})

describe('fw generate resource with another field', () => {
  it('updates the unedited files and adds the column in a separate migration', async () => {
    withIssues()
    const { changes, kept } = await generate('issue', ['priority:enum(low,high)', 'note:longtext?'])
    expect(kept).toEqual([])
    expect(paths(changes)).toContain('server/collections/issue-list.ts')
    expect(read('drizzle/0001_issues_priority_note.sql')).toMatch(
      /ADD `priority` text DEFAULT 'low' NOT NULL;[^]*ADD `note` text;/,
    )
    expect(read('server/database/issues.ts')).toContain('dueAt: z.iso.date(),\n  priority:')
    // The resource still belongs to an organization, without another --org.
    expect(read('server/actions/issues/create-issue.ts')).toContain('requireOrganization()')
  })

  it('adds the field to files that were edited elsewhere, including the table and its migration', async () => {
    withIssues()
    const path = 'server/database/issues.ts'
    const own = read(path)
      .replace(`index('issues_org')`, `index('issues_due').on(table.dueAt), index('issues_org')`)
      .replace('import { definePolicy,', 'import { appRole, definePolicy,')
      .replace(`delete: 'member'`, `delete: ['creator', appRole('manager')]`)
      .replace(/title: z.*,/, `title: z.string().trim().min(3).max(80),`)
    write(path, own)
    const { kept } = await generate('issue', ['urgent:boolean', 'reviewer:person?'])
    expect(kept).toEqual([])
    expect(read('drizzle/0001_issues_urgent_reviewer.sql')).toContain('ADD `reviewer` text_person')
    const grown = read(path)
    expect(grown).toContain(`import { appRole, definePolicy, organizationColumns, person, personSchema } from`)
    expect(grown).toContain(`index('issues_due').on(table.dueAt)`)
    expect(grown).toContain(`delete: ['creator', appRole('manager')]`)
    expect(grown).toContain('title: z.string().trim().min(3).max(80),')
    expect(grown).toContain('urgent: z.boolean(),\n  reviewer: personSchema.nullable(),')
    expect((await generate('issue', ['urgent:boolean', 'reviewer:person?'])).changes).toEqual([])
  })

  it('shows the change for a file with edited lines and updates the other files', async () => {
    withIssues()
    const path = 'app/pages/issues/[id].vue'
    const own = read(path).replace(`:fields="[`, `:fields="['extra', `)
    write(path, own)
    const { changes, kept } = await generate('issue', ['urgent:boolean'])
    expect(kept).toMatchObject([{ path, after: expect.stringContaining(`'urgent'`) }])
    expect(kept[0]?.before).not.toContain('extra')
    expect(read(path)).toBe(own)
    expect(paths(changes)).toEqual(
      expect.arrayContaining(['server/database/issues.ts', 'drizzle/0001_issues_urgent.sql']),
    )
  })

  it('leaves a form alone that has the field already, in other words and at another place', async () => {
    withIssues()
    byHand()
    const path = 'app/components/IssueFields.vue'
    const field = '    <UCheckbox v-model="draft.urgent" label="Now!" />'
    const own = read(path).replace('<fieldset class="grid min-w-0 gap-4" :disabled="isReadOnly">\n', `$&${field}\n`)
    write(path, own)
    const { kept } = await generate('issue', ['urgent:boolean'])
    expect(paths(kept)).toEqual([path])
    expect(read(path)).toBe(own)
  })

  it('adds the field after those that the author has added to the table and its input', async () => {
    withIssues()
    byHand()
    const path = 'server/database/issues.ts'
    write(
      path,
      read(path)
        .replace(/( {4}dueAt: text.*\n)/, `$1    effort: text('effort').notNull().default('{}'),\n`)
        .replace(/( {2}dueAt: z.*\n)/, `$1  effort: z.string().refine(isEffort),\n`),
    )
    expect((await generate('issue', ['urgent:boolean'])).kept).toEqual([])
    expect(read(path)).toContain('effort: z.string().refine(isEffort),\n  urgent: z.boolean(),\n')
    expect((await generate('issue', ['urgent:boolean'])).changes).toEqual([])
  })

  it('adds a field to the table again when the form still has it, without a second one there', async () => {
    await generate('task', ['title:text', 'status:enum(open,done)'])
    const path = 'server/database/tasks.ts'
    write(
      path,
      read(path)
        .replace(/ {4}status: text[^]*?'open'\),\n/, '')
        .replace(/ {2}status: z.*\n/, ''),
    )
    const form = read('app/components/TaskFields.vue')
    expect((await generate('task', ['status:enum(open,done)'])).kept).toEqual([])
    expect(read(path)).toContain('status: z.enum(tasks.status.enumValues),')
    expect(read('app/components/TaskFields.vue')).toBe(form)
  })

  it('writes no migration and says so when the author edited the same lines of the table', async () => {
    withIssues()
    const path = 'server/database/issues.ts'
    const own = read(path).replace(/(createdAt: integer.*\n.*updatedAt: integer.*)/, '// Times.\n    $1')
    write(path, own)
    const { changes, kept, remarks } = await generate('issue', ['urgent:boolean'])
    expect(paths(kept)).toEqual([path])
    expect(paths(changes).filter(each => each.startsWith('drizzle/'))).toEqual([])
    expect(remarks).toEqual([expect.stringContaining('npm run db:generate')])
    expect(read(path)).toBe(own)
  })

  it('requires an existing resource for fw generate field', async () => {
    withIssues()
    byHand()
    await expect(plan('ticket', ['note:text?'], { isThere: true })).rejects.toThrow('There is no ticket')
    expect((await plan('issue', ['note:text?'], { isThere: true })).kept).toEqual([])
  })

  it('refuses a required field without a default and an existing field with another type', async () => {
    withIssues()
    await expect(plan('issue', ['startAt:date'])).rejects.toThrow('write "startAt:date?"')
    await expect(plan('issue', ['dueAt:text'])).rejects.toThrow('dueAt is dueAt:date')
  })

  it('refuses a table file that was not generated', async () => {
    write('server/database/issues.ts', 'export const issues = 1\n')
    await expect(plan('issue', ISSUE)).rejects.toThrow('is no table that was generated')
  })
})

describe('fw generate import', () => {
  const toImport = (name = 'issue', fields: readonly string[] = []) =>
    generate(name, fields, { isThere: true, hasImport: true })

  it('adds an action, a list button, texts and a test, once', async () => {
    withIssues()
    const path = 'server/actions/issues/import-issues.ts'
    expect(paths((await toImport()).changes)).toEqual([
      path,
      'app/pages/issues/index.vue',
      'app/locales/en/issues.json',
      'tests/issues.test.ts',
    ])
    expectTidy()
    expect((await toImport()).changes).toEqual([])
  })

  it('supports every field type, finds references by title and includes fields added later', async () => {
    withCompanies()
    byHand()
    await generate('project', [...EVERYTHING, 'company:ref(companies)', 'crew:team'], { isOrg: true })
    await toImport('project')
    await generate('note', ['title:text'])
    await toImport('note')
    expect(read('server/actions/projects/import-projects.ts')).toContain(
      'refs: { companyId: { table: companies, title: companies.name } },',
    )
    expect(read('server/actions/notes/import-notes.ts')).toContain('...ownedBy(session)')
    const { changes, kept } = await generate('project', ['remark:text?'])
    expect([paths(changes), kept]).toEqual([expect.arrayContaining(['server/actions/projects/import-projects.ts']), []])
    expectTidy()
  })

  it('requires an existing resource', async () => {
    await expect(plan('ticket', [], { isThere: true, hasImport: true })).rejects.toThrow('There is no ticket')
  })
})

describe('resource names and field types', () => {
  it.each([
    ['Issue', ISSUE, 'begins with a small letter'],
    ['my issue', ISSUE, 'is no name for a resource'],
    ['class', ISSUE, 'a word of JavaScript'],
    ['user', ['name:text'], 'the platform has a table users'],
    ['tool', ['name:text'], 'the platform has'],
    ['issue', [], 'title:text'],
    ['issue', ['dueAt:date'], 'needs a field that people know it by'],
    ['issue', ['title'], 'is no field'],
    ['issue', ['title:string'], 'There is no type string'],
    ['issue', ['title:text', 'title:text'], 'there twice'],
    ['issue', ['title:text', 'orgId:text'], 'Every row has orgId already'],
    ['row', ['title:text'], 'use the name rows themselves'],
    ['issue', ['title:text', 'new:text'], 'a word of JavaScript'],
    ['issue', ['title:text', 'status:enum(open)'], 'two or more different values'],
    ['issue', ['title:text', 'status:enum(open,open)'], 'two or more different values'],
    ['issue', ['title:text', 'size:number(1,2)'], 'Only an enum has values'],
    ['issue', ['title:text', 'price:money'], 'needs a currency'],
    ['issue', ['title:text', 'price:money(EURO)'], 'needs a currency'],
    ['issue', ['title:text', 'urgent:boolean?'], 'without “?”'],
    ['issue', ['title:text', 'crew:team'], 'say --org'],
  ])('refuses %s %j: %s', async (name, fields, reason) => {
    const refused = plan(name, fields)
    await expect(refused).rejects.toThrow(UsageFault)
    await expect(refused).rejects.toThrow(reason)
  })

  it('refuses a name that an action of the application already uses', async () => {
    write('server/actions/get-issue.ts', '')
    await expect(plan('issue', ISSUE)).rejects.toThrow('there is an action get-issue (server/actions/get-issue.ts)')
  })

  it.each([
    ['issue', 'issues'],
    ['category', 'categories'],
    ['day', 'days'],
    ['box', 'boxes'],
    ['person', 'people'],
    ['work-item', 'work-items'],
    ['news', 'news'],
  ])('the plural of %s is %s', (one, many) => expect(pluralOf(one)).toBe(many))

  it('accepts names that the generated files use themselves', async () => {
    await generate('ticket', ['title:text', 'row:text?', 'page:integer', 'order:integer', 'contract:file'])
    expect(read('server/collections/ticket-list.ts')).toContain(
      `filters: { title: 'search', row: 'search', ownerEmail: 'exact' },`,
    )
    expect(read('app/pages/tickets/[id].vue')).toContain(`'row', 'page', 'order', 'contract']`)
    expect(read('tests/tickets.test.ts')).toContain('{ ...ticketRow, contract: ticket }')
    expectTidy()
  })

  it('accepts a custom plural and finds the files generated with it', async () => {
    await generate('datum', ['name:text'], { plural: 'measurements' })
    expect(existsSync(join(app, 'server/database/measurements.ts'))).toBe(true)
    expect((await plan('datum', [], { plural: 'measurements' })).changes).toEqual([])
  })

  it('reads every field type back from the table file, including optional fields', async () => {
    const values = new Map([
      ['enum', '(a,b)'],
      ['money', '(EUR)'],
    ])
    const typed = FIELD_TYPES.filter(type => !['boolean', 'ref', 'files'].includes(type)).map(
      type => `${type}Maybe:${type}${values.get(type) ?? ''}?`,
    )
    await generate('thing', [...EVERYTHING, ...typed], { isOrg: true })
    const found = readFields(read('server/database/things.ts'), { input: 'thingInput', table: 'things' })
    // A file's upload is named after the resource and the field.
    const expected = parseFields([...EVERYTHING, ...typed]).map(field =>
      isFile(field) ? { ...field, values: [`thing-${toKebab(field.name)}`] } : field,
    )
    expect(found).toEqual({ fields: expected, authorFields: [] })
  })

  it('accepts enum values without brackets, which shells interpret differently', () => {
    expect(parseFields(['status:enum:open,done?'])).toEqual(parseFields(['status:enum(open,done)?']))
  })
})

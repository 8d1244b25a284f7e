import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root })
  .toString()
  .split('\n')
  .filter(path => path && existsSync(join(root, path)))
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const sources = files.filter(path =>
  /^((layers\/fairway\/|tests\/fixtures\/sample\/)?(app|server|shared|modules|cli)|packages\/\w+\/src)\/.*\.(ts|tsx|vue|mjs)$/.test(
    path,
  ),
)

describe('source files', () => {
  it('are found for these checks', () => {
    expect(sources.length).toBeGreaterThan(100)
  })

  it('have at most 300 lines', () => {
    expect(sources.filter(path => read(path).split('\n').length > 300)).toEqual([])
  })

  it('have no generic names such as utils, helpers or types', () => {
    const names = /(^|\/)(auth|utils|helpers|common|misc|service|manager|handler|types|constants)\.(ts|tsx|vue|mjs)$/
    expect(sources.filter(path => names.test(path))).toEqual([])
  })

  it('read process.env only in the startup plugin, the command line and build modules', () => {
    const readers = sources.filter(path => /process\.env/.test(read(path)))
    expect(
      readers.filter(
        path => !/^(layers\/fairway\/(server\/plugins\/00\.app\.ts|cli\/|modules\/)|modules\/)/.test(path),
      ),
    ).toEqual([])
  })

  it('contain no TODO, FIXME or XXX marks and, in server code, no module-level let', () => {
    const server = sources.filter(path =>
      /^((layers\/fairway\/|tests\/fixtures\/sample\/)?(server|shared|modules|cli)|packages\/\w+\/src)\//.test(path),
    )
    expect(server.filter(path => /^(export )?let /m.test(read(path)))).toEqual([])
    expect(sources.filter(path => /\b(TODO|FIXME|XXX)\b/.test(read(path)))).toEqual([])
  })
})

describe('pages', () => {
  // Only `signInPath` may contain the address, because it adds the return address.
  const bareSignIn = (text: string) => /\b(LEGACY_)?SIGN_IN_PATH\b|["'`(](\/_fw)?\/sign-in(?![\w/-])/.test(text)

  it('link to the sign-in page only with a return address', () => {
    const links = sources.filter(path => /(^|\/)app\//.test(path) && bareSignIn(read(path)))
    expect(links).toEqual(['layers/fairway/app/utils/sign-in-path.ts'])
  })

  it.each([
    '<UButton :to="SIGN_IN_PATH" />',
    '<a href="/sign-in">',
    "navigateTo('/sign-in?lang=de')",
    'to="/_fw/sign-in"',
    '`/sign-in#${x}`',
  ])('are detected when they link to the sign-in page without a return address: %s', text => {
    expect(bareSignIn(text)).toBe(true)
  })
})

describe('the active organization', () => {
  const writesSettings = (text: string) =>
    /\b(into|update( or \w+)?|delete from)\s+["`]?user_settings\b/i.test(text) ||
    /\.(insert|update|delete)\(\s*userSettings\b/.test(text)
  const server = sources.filter(path =>
    /^(layers\/fairway\/|tests\/fixtures\/sample\/)?(server|shared|modules|cli)\//.test(path),
  )

  it('is written only by active-org.ts, while other settings writers refuse its key or write one fixed key', () => {
    const people = 'layers/fairway/server/domains/people/person-values.ts'
    const writer = 'layers/fairway/server/domains/organizations/active-org.ts'
    expect(server.filter(path => writesSettings(read(path)))).toEqual([people])
    expect(server.filter(path => /'active-org-id'|"active-org-id"/.test(read(path)))).toEqual([people])
    expect(server.filter(path => /\bwriteSettingSql\(/.test(read(path)))).toEqual([writer])
  })

  it.each([
    "insert into user_settings (user_id, key, value) values (?, 'active-org-id', ?)",
    'insert or replace into user_settings select 1',
    'update user_settings set value = ?',
    'delete from user_settings where value = ?',
    'db.insert(userSettings).values({})',
    'orm.update( userSettings )',
  ])('is protected by a check that detects this write: %s', text => {
    expect(writesSettings(text)).toBe(true)
  })

  it('is protected by a check that ignores reads of settings', () => {
    expect(writesSettings('select value from user_settings where key = ?')).toBe(false)
    expect(writesSettings('left join user_settings a on a.user_id = u.id')).toBe(false)
    expect(writesSettings('orm.select().from(userSettings)')).toBe(false)
  })
})

describe('documents', () => {
  it('generated from code are current (npm run docs)', () => {
    const folder = mkdtempSync(join(tmpdir(), 'fw-docs-'))
    execFileSync(process.execPath, ['scripts/docs.mjs', folder], { cwd: root })
    const made = globSync('**/*', { cwd: folder, withFileTypes: true }).filter(entry => entry.isFile())
    const paths = [...made.map(({ parentPath, name }) => relative(folder, join(parentPath, name))), '.env.example']
    expect(paths).toEqual(expect.arrayContaining(['docs/reference/settings.md', 'docs/reference/fw.md']))
    for (const path of paths) expect(read(path)).toBe(readFileSync(join(folder, path), 'utf8'))
  })

  it('link only to existing files', () => {
    const broken = files
      .filter(path => path.endsWith('.md'))
      .flatMap(path =>
        [...read(path).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)]
          .map(([, target = '']) => join(dirname(path), target))
          .filter(target => !existsSync(join(root, target)))
          .map(target => `${path} → ${target}`),
      )
    expect(broken).toEqual([])
  })
})

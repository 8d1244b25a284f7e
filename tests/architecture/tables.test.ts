import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const server = 'layers/fairway/server/'
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', server], { cwd: root })
  .toString()
  .split('\n')
  .filter(path => /\.tsx?$/.test(path) && existsSync(join(root, path)))
  .map(path => path.slice(server.length))

/** The part of the server that contains a file: one domain, the kernel, or the code above the domains. */
const roomOf = (path: string): string => /^(domains\/[^/]+|kernel)\//.exec(path)?.[1] ?? 'above'

interface Table {
  owner: string
  name: string
  constant: string
}

const tablesOf = (path: string, text: string): Table[] =>
  [...text.matchAll(/export const (\w+) = sqliteTable\(\s*'(\w+)'/g)].map(([, constant = '', name = '']) => ({
    owner: roomOf(path),
    name,
    constant,
  }))

const withoutComments = (text: string): string =>
  text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '')

/** The tables that a text uses: after an SQL keyword, as a quoted name, or by an imported constant. */
function namedIn(text: string, tables: readonly Table[]): Table[] {
  const code = withoutComments(text)
  const imported = new Set(
    [...code.matchAll(/import (?:type )?\{([^}]*)\} from/g)].flatMap(([, names = '']) =>
      names.split(',').map(
        name =>
          name
            .trim()
            .replace(/^type /, '')
            .split(' as ')[0] ?? '',
      ),
    ),
  )
  return tables.filter(
    ({ name, constant }) =>
      imported.has(constant) ||
      new RegExp(String.raw`\b(from|join|into|update|table)\s+["\`]?${name}\b`, 'i').test(code) ||
      (name.includes('_') && new RegExp(String.raw`['"\`]${name}['"\`]`).test(code)),
  )
}

const read = (path: string) => readFileSync(join(root, server, path), 'utf8')
const tables = files.filter(path => path.endsWith('/tables.ts')).flatMap(path => tablesOf(path, read(path)))

/** Files that still use tables of another domain, each with the reason. Remove a file once it no longer does. */
const stillForeign: Record<string, string> = {
  'domains/sign-in/claim/claim-contents.ts':
    'shows the owner of an address everything that an account holds, in one page',
  'domains/sign-in/claim/claim.ts':
    'answers the question about an account in one transaction with what follows from it',
  'domains/sign-in/passkeys/passkey-sign-in.ts':
    'reads the security version of the account in the statement that finds the passkey',
}

describe('database tables', () => {
  it('are used only by their own domain, apart from the listed exceptions', () => {
    const foreign = files
      .filter(path => !path.endsWith('/tables.ts') && path !== 'schema.ts')
      .filter(path => namedIn(read(path), tables).some(({ owner }) => owner !== roomOf(path)))
    expect(tables.length).toBeGreaterThan(30)
    expect(foreign.toSorted()).toEqual(Object.keys(stillForeign).toSorted())
  })

  const notes: Table = { owner: 'domains/notes', name: 'shared_notes', constant: 'sharedNotes' }
  it.each([
    'const FIND = `select 1 from shared_notes n`',
    'const JOIN = `left join shared_notes n on n.id = ?`',
    "const sql = 'insert into shared_notes (id) values (?)'",
    "const sql = 'update shared_notes set id = ?'",
    "for (const table of ['shared_notes']) remove(`delete from ${table}`)",
    "import { type App, sharedNotes } from '../notes'",
    "import { sharedNotes as rows } from '../notes'",
  ])('are detected where SQL or an import names them: %s', text => {
    expect(namedIn(text, [notes])).toEqual([notes])
  })

  it.each([
    '/** Reads from shared_notes. */',
    '// from shared_notes',
    "const text = 'from the shared notes'",
    "import { sharedNotesOf } from '../notes'",
  ])('are not detected in comments or other words: %s', text => {
    expect(namedIn(text, [notes])).toEqual([])
  })
})

import { mkdtemp, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { checkTypes } from '../../../layers/fairway/cli/types-command'
import { writeFiles } from '../../support/files'

const part = (...include: string[]) =>
  JSON.stringify({ compilerOptions: { noEmit: true, strict: true, types: [], skipLibCheck: true }, include })

/** A project with two parts, whose pages refer to a file of the server. */
async function aProject(server: string, { withPackages = true } = {}): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'fw-types-'))
  writeFiles(root, {
    'package.json': '{ "type": "module" }',
    'tsconfig.json': JSON.stringify({ files: [], references: [{ path: './app.json' }, { path: './server.json' }] }),
    'app.json': part('page.ts'),
    'server.json': part('server.ts'),
    'page.ts': `import type { Note } from './server'\nexport const title = (note: Note): string => note.title\n`,
    'server.ts': server,
  })
  if (withPackages) await symlink(join(import.meta.dirname, '../../../node_modules'), join(root, 'node_modules'))
  return root
}

it('checkTypes reports an error once with all its lines, even when several project parts contain the file', async () => {
  const root = await aProject(
    `export interface Note { title: string }\nexport const note: { note: Note } = { note: make() }\nfunction make() { return { titel: 'x' } }\nexport const count: number = 'one'\n`,
  )
  const { errors, code } = await checkTypes(root)
  expect(code).not.toBe(0)
  expect(errors).toHaveLength(2)
  expect(errors[0]).toMatch(/^server\.ts\(2,\d+\): error TS2741: Property 'title' is missing/)
  expect(errors[1]).toBe(`server.ts(4,14): error TS2322: Type 'string' is not assignable to type 'number'.`)
})

it('checkTypes reports nothing for a project without type errors', async () => {
  expect(await checkTypes(await aProject('export interface Note { title: string }\n'))).toEqual({ errors: [], code: 0 })
})

it('checkTypes uses the platform’s compiler when the project has none', async () => {
  const root = await aProject('export interface Note { title: number }\n', { withPackages: false })
  expect((await checkTypes(root)).errors).toEqual([
    `page.ts(2,46): error TS2322: Type 'number' is not assignable to type 'string'.`,
  ])
})

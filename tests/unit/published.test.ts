import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { FW_CONFIG_KEYS } from '#fairway/server/kernel/config/fw-config'
import { aliases, platformDir } from '#fairway/modules/registry/roots'
import { published as ofPlatform } from '#fairway/published'
import { published as ofDesktop } from '../../packages/desktop/published'

const published = { ...ofPlatform, ...ofDesktop }
const read = (path: string) => readFileSync(join(platformDir, path), 'utf8')
const files = (pattern: string) => globSync(pattern, { cwd: platformDir }).toSorted()

/** The exports of a file by name. `isType` means that the export does not exist at run time. */
function exportsOf(path: string): { name: string; isType: boolean }[] {
  const { statements } = ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest)
  return statements.flatMap(statement => {
    if (ts.isExportDeclaration(statement) && statement.exportClause && ts.isNamedExports(statement.exportClause))
      return statement.exportClause.elements.map(each => ({
        name: each.name.text,
        isType: statement.isTypeOnly || each.isTypeOnly,
      }))
    if (!ts.canHaveModifiers(statement)) return []
    if (!ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return []
    const isType = ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)
    const declared = ts.isVariableStatement(statement) ? statement.declarationList.declarations : [statement]
    return declared.flatMap(each =>
      'name' in each && each.name && ts.isIdentifier(each.name as ts.Node)
        ? [{ name: (each.name as ts.Identifier).text, isType }]
        : [],
    )
  })
}

const namesOf = (part: keyof typeof published) => Object.keys(published[part]).toSorted()

describe('published names', () => {
  it.each([
    ['server', 'server/fw.ts'],
    ['client', 'app/client.ts'],
    ['tables', 'server/fw-tables.ts'],
    ['vitest', 'cli/vitest.mjs'],
    ['desktop', '../../packages/desktop/src/index.ts'],
    ['desktopProgram', '../../packages/desktop/src/program/index.ts'],
  ] as const)('match the exports of %s (%s)', (part, path) => {
    expect(
      exportsOf(path)
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(namesOf(part))
  })

  it('match the exports of the package', () => {
    expect(Object.keys(JSON.parse(read('package.json')).exports).toSorted()).toEqual(namesOf('exports'))
  })

  it('match the import aliases', () => {
    const declared = files('modules/registry/*.ts').map(read).join('\n')
    const aliased = Object.keys(aliases('/app'))
    const missing = namesOf('imports').filter(
      name => !aliased.includes(name) && !declared.includes(`declare module '${name}'`),
    )
    expect(missing).toEqual([])
    // Every other short name of the build is internal.
    const all = [...declared.matchAll(/declare module '(#fw\/[a-z-]+types)'/g)].map(([, name]) => name)
    expect(all.toSorted()).toEqual(namesOf('imports').filter(name => name.endsWith('types')))
  })

  it('match the keys of fw.config.ts', () => {
    expect(FW_CONFIG_KEYS.toSorted()).toEqual(namesOf('fwConfig'))
  })

  it('match the fields of PageMeta', () => {
    const [, body = ''] = /interface PageMeta \{\n(.*?)\n {2}\}/s.exec(read('modules/pages/index.ts')) ?? []
    expect([...body.matchAll(/^ {4}(\w+)\?:/gm)].map(([, name]) => name).toSorted()).toEqual(namesOf('pageMeta'))
  })

  it('match the folders that are searched for declarations', () => {
    const sources = files('modules/{page-frames,registry}/*.ts').map(read).join('\n')
    const places = [...sources.matchAll(/['`](server\/[a-z]+)(?:\/\$\{list\})?['`]/g)].map(([, place]) => place ?? '')
    const declared = namesOf('folders').filter(folder => folder.startsWith('server/'))
    expect([...new Set(places)].toSorted()).toEqual([...declared, 'server/routes'].toSorted())
  })

  it('match the commands of fw', () => {
    const [, commands = ''] = /subCommands: \{([^}]+)\}/s.exec(read('cli/main.ts')) ?? []
    const names = [...commands.matchAll(/^\s*(\w+)\b/gm)].map(([, name]) => name)
    expect(names.toSorted()).toEqual(namesOf('commands'))
  })
})

it('server names that need no import are also exported by #fw', () => {
  for (const name of namesOf('serverWithoutImport')) expect(namesOf('server')).toContain(name)
})

describe('components and composables', () => {
  const sources = new Map(files('app/**/*.{vue,ts}').map(path => [path, read(path)]))
  const isUsed = (word: RegExp, own: string) => [...sources].some(([path, text]) => path !== own && word.test(text))

  it('every component is used or published, and every published component exists', () => {
    const components = files('app/components/**/*.vue').map(path => ({ path, name: basename(path, '.vue') }))
    const left = components.filter(
      ({ path, name }) => !(name in published.components) && !isUsed(new RegExp(`\\b(Lazy)?${name}\\b`), path),
    )
    expect(left.map(({ path }) => path)).toEqual([])
    const names = new Set(components.map(({ name }) => name))
    expect(namesOf('components').filter(name => !names.has(name))).toEqual([])
  })

  it('every composable and function is used or published, and every published one exists', () => {
    const exported = files('app/{composables,utils}/*.ts').flatMap(path =>
      exportsOf(path).flatMap(({ name, isType }) => (isType ? [] : [{ path, name }])),
    )
    const left = exported.filter(
      ({ path, name }) => !(name in published.composables) && !isUsed(new RegExp(`\\b${name}\\b`), path),
    )
    expect(left).toEqual([])
    const names = new Set(exported.map(({ name }) => name))
    expect(namesOf('composables').filter(name => !names.has(name))).toEqual([])
  })
})

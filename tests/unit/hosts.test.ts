import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import lock from '../hosts/clients/package-lock.json' with { type: 'json' }
import manifest from '../hosts/clients/package.json' with { type: 'json' }
import { clients } from '../hosts/clients'
import { rowsOf, titleOf } from '../hosts/host'
import { hosts, hostsDoc } from '../hosts/hosts-doc'
import { sequences } from '../hosts/sequences'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const locked = new Map<string, object>(Object.entries(lock.packages))

describe('docs/hosts.md', () => {
  it('lists every tested host without a failed step (npm run hosts)', () => {
    expect(read('docs/hosts.md')).toBe(hostsDoc(() => true))
  })

  it('shows a failed step', () => {
    const title = 'Gemini CLI 0.61.0 (sequence, registered)'
    const rows = hostsDoc((host, step) => host !== title || step !== 'parallel').split('\n')
    expect(rows.filter(row => row.includes('✗'))).toEqual([
      '| Gemini CLI | 0.61.0 | recording: program 0.61.0 | ✓ | registered | ✓ | ✓ | ✓ | ✓ | ✗ | ✓ | ✓ | told | ✓ |',
    ])
  })
})

describe('the hosts', () => {
  it('have one file each, and every file is in the table', () => {
    const files = globSync('tests/hosts/*.ts', { cwd: root }).filter(path => /: Sequence = \{/.test(read(path)))
    expect(files).toHaveLength(sequences.length)
  })

  it('have unique names', () => {
    const titles = hosts.map(titleOf)
    expect(titles.toSorted()).toEqual([...new Set(titles)].toSorted())
  })

  it('cite a source for each observed habit', () => {
    const files = globSync('tests/hosts/*.ts', { cwd: root }).filter(path => /: Sequence = \{/.test(read(path)))
    const source = /https:\/\/|[\w-]+\/[\w.-]+#\d+|[\w-]+\.(rs|ts|js|py)\b|mcp\/client\/auth/
    expect(files.filter(path => !source.test(/\/\*\*[\s\S]*?\*\//.exec(read(path))?.[0] ?? ''))).toEqual([])
  })

  it('name for each row what was tested, and a recording its date or version', () => {
    const dated = /^recording: .*(\d{4}-\d{2}|\d+\.(\d+|x))/
    expect(
      hosts.filter(({ kind, tested }) => !(kind === 'client' ? /^released program$/ : dated).test(tested)),
    ).toEqual([])
  })

  it('with a document send the one that was published, and name its day', () => {
    const documents = sequences.flatMap(({ document, recordedFrom }) =>
      document ? [[document('https://app.example/mcp'), recordedFrom.document ?? ''] as const] : [],
    )
    expect(documents.filter(([{ url, client_id }]) => url !== client_id)).toEqual([])
    expect(
      documents.filter(([, from]) => !/^document published (on \d{4}-\d{2}-\d{2}|in \d{4}-\d{2})$/.test(from)),
    ).toEqual([])
  })

  it('with a client document are also tested without one, for servers without support for it', () => {
    const ways = sequences
      .filter(({ document }) => document)
      .map(sequence => rowsOf(sequence).map(({ client }) => client))
    expect(ways.filter(each => each.join() !== 'document,registered')).toEqual([])
  })
})

describe('the released clients', () => {
  it('have exact versions that match the installed ones', () => {
    expect(Object.values(manifest.dependencies).filter(range => !/(^|@)\d+\.\d+\.\d+$/.test(range))).toEqual([])
    expect(clients.map(({ installedAs, version }) => [installedAs, version])).toEqual(
      clients.map(({ installedAs }) => [
        installedAs,
        Object.entries(locked.get(`node_modules/${installedAs}`) ?? {}).find(([member]) => member === 'version')?.[1],
      ]),
    )
    expect(clients.map(({ installedAs }): string => installedAs).toSorted()).toEqual(
      Object.keys(manifest.dependencies).toSorted(),
    )
  })
})

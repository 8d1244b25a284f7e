import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { isDeclared } from '#fairway/server/kernel/declaration'
import { discover } from '#fairway/modules/registry/discover'
import { DeclarationError, loadDeclarations } from '#fairway/modules/registry/load-declarations'
import { writeFiles } from '../../support/files'

const house = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '')
const kind = {
  plural: 'MCP resources',
  maker: 'defineMcpResource',
  isOne: (value: unknown): value is object => isDeclared('resource', value),
}
const resource = `import { defineMcpResource } from '#fw'
export default defineMcpResource({ uri: 'x://y', title: 'x', mimeType: 'text/plain', read: () => 'x' })`
const prompt = `import { defineMcpPrompt } from '#fw'
export default defineMcpPrompt({ title: 'x', description: 'x', build: () => 'x' })`

const made: string[] = []
afterAll(() => made.forEach(root => rmSync(root, { recursive: true })))

async function faultsOf(files: Record<string, string>): Promise<string[]> {
  mkdirSync(join(house, 'test-results'), { recursive: true })
  const root = mkdtempSync(join(house, 'test-results', 'mcp-'))
  made.push(root)
  writeFiles(join(root, 'server/mcp/resources'), files)
  try {
    await loadDeclarations(root, discover(root, 'server/mcp/resources'), kind)
    return []
  } catch (error) {
    if (error instanceof DeclarationError) return error.faults
    throw error
  }
}

describe('loadDeclarations for MCP resources', () => {
  it('loads declared files and skips files that begin with an underscore', async () => {
    expect(await faultsOf({ 'one.ts': resource, 'a/two.ts': resource, '_part.ts': 'throw 1' })).toEqual([])
  })

  it.each([
    ['another kind', prompt, /broken\.ts: the default export is not made by defineMcpResource/],
    ['an unsound one', resource.replace('x://y', 'ui://y'), /broken\.ts: does not load: defineMcpResource: uri/],
  ])('fails with the file and the reason: %s', async (_what, text, message) => {
    const faults = await faultsOf({ 'broken.ts': text, 'good.ts': resource })
    expect(faults).toHaveLength(1)
    expect(faults[0]).toMatch(message)
  })
})

import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { snippetsOf, writeSnippets } from '../../../scripts/snippets.mjs'

const fence = (info: string, code: string, comment = '') => `\`\`\`${info}\n${code}\n\`\`\`\n${comment}\n`
const textOf = (...parts: Parameters<typeof fence>) => snippetsOf('docs/guides/x.md', fence(...parts))[0]?.text

describe('snippetsOf', () => {
  it('adds the imports that the reader already knows, and no others', () => {
    const text = textOf(
      'ts',
      'export default defineAction({ input: z.object({ id: z.string() }), run: ({ id }) => id })',
    )
    expect(text).toMatch(/^import \{ z \} from 'zod'\nimport \{ defineAction \} from '#fw'\nexport default/)
  })

  it('inserts the code into the comment below it', () => {
    const comment = '<!-- check\nexport default defineCollection({\n@here\n})\n-->'
    expect(textOf('ts', 'paginationPartial: true', comment)).toMatch(
      /defineCollection\(\{\npaginationPartial: true\n\n?\}\)/,
    )
  })

  it('wraps a few elements in a component', () => {
    const text = textOf('vue', '<FwUserProfile :section="section" />', '<!-- check\nconst section = ref()\n-->')
    expect(text).toContain('<script setup lang="ts">\nconst section = ref()\n</script>')
    expect(text).toContain('<template>\n<div>\n<FwUserProfile')
  })

  it('skips a code block only when a reason is given', () => {
    expect(textOf('ts', 'nothing', '<!-- no-check: it is made up -->')).toBeUndefined()
    expect(() => textOf('ts', 'nothing', '<!-- no-check -->')).toThrow('block 1 is not checked and does not say why')
  })
})

it('writeSnippets writes the code of all documents with fewer than five exceptions', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fw-snippets-'))
  expect(writeSnippets(folder)).toBeGreaterThan(50)
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  expect(files).toEqual(expect.arrayContaining(['server/actions-1.ts', 'app/embed-1.vue', 'server/brand-5.tsx']))
  expect(readFileSync(join(folder, 'server/collections-1.ts'), 'utf8')).toContain("from './tables-1'")
  const guides = readdirSync('docs/guides').map(name => readFileSync(join('docs/guides', name), 'utf8'))
  expect(guides.join('\n').match(/<!-- no-check/g)?.length ?? 0).toBeLessThan(5)
})

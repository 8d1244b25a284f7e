import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const pages = ['docs/guides/plans.md', 'docs/recipes/stripe.md'].map(path => readFileSync(path, 'utf8')).join('\n')
const blocks = [...pages.matchAll(/^```ts(?: \[|\n\/\/ )([\w./-]+)\]?\n(.*?)^```$/gms)].map(
  ([, path = '', code = '']) => ({
    path,
    code,
  }),
)
// The guide's blocks leave out the imports.
const withoutImports = (code: string) => code.replaceAll(/^import .*\n/gm, '').trim()

it.each(blocks.filter(({ path }) => path !== 'fw.config.ts'))(
  'the guide shows $path exactly as in the test application',
  ({ path, code }) => {
    const tested = readFileSync(`tests/fixtures/author/${path}`, 'utf8')
    expect(withoutImports(code)).toBe(withoutImports(tested))
  },
)

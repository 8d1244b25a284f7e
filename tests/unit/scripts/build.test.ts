import { expect, it } from 'vitest'
import { sourcesOf } from '../../../scripts/build.mjs'

it('a build is repeated for changed sources, not for what tools write beside them', () => {
  const sources = sourcesOf('.')
  expect(sources).toContain('layers/fairway/server/fw.ts')
  expect(sources.filter(path => /node_modules|layers\/fairway\/dist/.test(path))).toEqual([])
})

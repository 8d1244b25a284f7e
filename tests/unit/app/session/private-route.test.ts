import { expect, it } from 'vitest'
import { isPrivateRoute } from '#fairway/app/utils/sign-in-path'

it.each([
  ['that says nothing', [{}], true],
  ['that is public', [{ public: true }], false],
  ['that is embedded', [{ embed: true }], false],
  ['inside a public page', [{ public: true }, {}], true],
  ['that is public inside a private page', [{}, { public: true }], true],
  ['that is public inside a public page', [{ public: true }, { public: { maxAge: 60 } }], false],
  ['that caches may keep', [{ public: { maxAge: 60 } }], false],
  ['that does not exist', [], true],
])('treats a page %s as private unless its own meta and all around it say otherwise', (_what, metas, isPrivate) => {
  expect(isPrivateRoute({ matched: metas.map(meta => ({ meta })) })).toBe(isPrivate)
})

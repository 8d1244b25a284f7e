import { expect, it } from 'vitest'
import * as fw from '#fw'

it('offers app authors these names and no others', () => {
  expect(Object.keys(fw).toSorted()).toEqual([
    'AppError',
    'defineAction',
    'defineFwConfig',
    'getSession',
    'newId',
    'preparedQuery',
    'requireSession',
  ])
})

import { expect, it } from 'vitest'
import * as fw from '#fw'

it('offers app authors these names and no others', () => {
  expect(Object.keys(fw).toSorted()).toEqual([
    'AppError',
    'ORG_ROLES',
    'SHARE_ROLES',
    'accessOf',
    'accessibleTo',
    'callerOf',
    'callerPlaceholders',
    'defineAction',
    'defineAppRoles',
    'defineFwConfig',
    'getBrowserConnection',
    'getSession',
    'listShares',
    'newId',
    'ownedBy',
    'preparedQuery',
    'requireSession',
    'setActiveOrgId',
    'setVisibility',
    'shareRow',
    'team',
    'unshareRow',
  ])
})

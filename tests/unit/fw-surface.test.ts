import { expect, it } from 'vitest'
import * as fw from '#fw'

it('offers app authors these names and no others', () => {
  expect(Object.keys(fw).toSorted()).toEqual([
    'AppError',
    'ArrayPaginator',
    'ORG_ROLES',
    'SHARE_ROLES',
    'TraversablePaginator',
    'accessOf',
    'accessibleTo',
    'callerOf',
    'callerPlaceholders',
    'defineAction',
    'defineAppRoles',
    'defineCollection',
    'defineFwConfig',
    'defineMcpApp',
    'defineMcpPrompt',
    'defineMcpResource',
    'defineProvider',
    'getBrowserConnection',
    'getSession',
    'listShares',
    'mcpContent',
    'newId',
    'ownedBy',
    'preparedQuery',
    'requireSession',
    'setActiveOrgId',
    'setVisibility',
    'shareRow',
    'team',
    'unshareRow',
    'useFairway',
    'usePagination',
  ])
})

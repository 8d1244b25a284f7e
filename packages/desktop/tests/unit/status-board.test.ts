import { describe, expect, it } from 'vitest'
import { emptyProgress, toStatus, withApp, type AppProgress, type Phase } from '../../src/status-board'

const app = (status: AppProgress['status'], id = 'notes'): AppProgress => ({ id, name: id, status, reason: null })

describe('toStatus', () => {
  it.each<[string, Phase, AppProgress[], string]>([
    ['nothing has happened', 'idle', [], 'idle'],
    ['a person is at the hub', 'ceremony', [], 'signing-in'],
    ['one application is waiting', 'workspace', [app('signed-in'), app('waiting', 'tasks')], 'signing-in'],
    ['one is worked on while another failed', 'workspace', [app('failed'), app('working', 'tasks')], 'signing-in'],
    ['one of several failed', 'workspace', [app('signed-in'), app('failed', 'tasks')], 'incomplete'],
    ['every one succeeded', 'workspace', [app('signed-in'), app('signed-in', 'tasks')], 'signed-in'],
    [
      'those that may not take part are left out',
      'workspace',
      [app('signed-in'), app('not-eligible', 'tasks')],
      'signed-in',
    ],
    ['there is no application at all', 'workspace', [], 'signed-in'],
    ['the hub session is gone', 'sign-in-required', [app('signed-in')], 'sign-in-required'],
    ['it went wrong', 'failed', [app('signed-in')], 'failed'],
  ])('returns the expected state when %s', (_title, phase, apps, state) => {
    expect(toStatus({ ...emptyProgress, phase, apps }).state).toBe(state)
  })

  it('returns no fields beyond the public ones', () => {
    expect(Object.keys(toStatus(emptyProgress)).toSorted()).toEqual([
      'apps',
      'email',
      'isAvailable',
      'isEnabled',
      'reason',
      'state',
    ])
  })
})

it('withApp updates an application in place and appends an unknown one', () => {
  const progress = { ...emptyProgress, apps: [app('waiting'), app('waiting', 'tasks')] }
  expect(withApp(progress, app('failed')).apps).toEqual([app('failed'), app('waiting', 'tasks')])
  expect(withApp(progress, app('working', 'mail')).apps.map(({ id }) => id)).toEqual(['notes', 'tasks', 'mail'])
})

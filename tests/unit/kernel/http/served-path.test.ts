import { expect, it } from 'vitest'
import { isServedPath, mountedNames } from '#fairway/server/kernel/http/request-info'
import { createTestApp } from '../../../support/app'

it('isServedPath returns true for platform paths and for all paths below mounted names', async () => {
  const { app, close } = await createTestApp()
  mountedNames(app).add('notes')
  for (const path of ['/mcp', '/_fw/session', '/notes', '/notes/7', '/notes/7/parts'])
    expect([path, isServedPath(app, path)]).toEqual([path, true])
  for (const path of ['/', '/notes-of-today', '/team/notes', '/_fwx'])
    expect([path, isServedPath(app, path)]).toEqual([path, false])
  expect(isServedPath(undefined, '/notes')).toBe(false)
  await close()
})

import { expect, it } from 'vitest'
import { isServedPath, mountedNames } from '#fairway/server/kernel/http/request-info'
import { createTestApp } from '../../../support/app'

it('knows the paths of the platform, and mounted ones with all below them', async () => {
  const { app, close } = await createTestApp()
  mountedNames(app).add('notes')
  for (const path of ['/mcp', '/_fw/session', '/notes', '/notes/7', '/notes/7/parts'])
    expect([path, isServedPath(app, path)]).toEqual([path, true])
  for (const path of ['/', '/notes-of-today', '/team/notes', '/_fwx'])
    expect([path, isServedPath(app, path)]).toEqual([path, false])
  expect(isServedPath(undefined, '/notes')).toBe(false)
  await close()
})

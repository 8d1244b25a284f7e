import { join } from 'node:path'
import { createNitro, scanHandlers } from 'nitropack/core'
import { expect, it } from 'vitest'
import { platformDir } from '#fairway/modules/registry/roots'
import { findHandlers } from '#fairway/testing/routes'
import { folderWith } from '../../support/files'

const FILES = [
  'api/hello.get.ts',
  'api/notes/[id].ts',
  'api/notes/[id]/parts.post.ts',
  'api/notes/index.ts',
  'api/(group)/inside.ts',
  'api/all/[...].ts',
  'routes/files/[...path].get.ts',
  'routes/index.ts',
  'routes/feed.xml.ts',
  'routes/made.dev.ts',
  'middleware/2.second.ts',
  'middleware/1.first.ts',
]

it('findHandlers finds middleware and routes as Nitro does', async () => {
  const rootDir = folderWith(Object.fromEntries(FILES.map(file => [`server/${file}`, 'export default () => null\n'])))
  const scanDirs = [join(platformDir, 'server'), join(rootDir, 'server')]
  const nitro = await createNitro({ rootDir, srcDir: join(rootDir, 'server'), scanDirs, logLevel: 0 })
  await scanHandlers(nitro)
  const expected = nitro.scannedHandlers.flatMap(({ route, method, handler, env }) =>
    env === undefined ? [`${route ?? 'middleware'} ${method ?? 'any'} ${handler}`] : [],
  )
  await nitro.close()
  const found = findHandlers(rootDir)
    .filter(({ file }) => !file.includes('/server/mounted/'))
    .map(({ route, method, file }) => `${route ?? 'middleware'} ${method ?? 'any'} ${file}`)
  expect(found.toSorted()).toEqual(expected.toSorted())
  expect(found.slice(-2 - FILES.length).filter(line => line.startsWith('middleware'))).toEqual([])
  const order = found.filter(line => line.startsWith('middleware')).map(line => line.split('/').at(-1))
  expect(order).toEqual(['10.enter.ts', '1.first.ts', '2.second.ts'])
})

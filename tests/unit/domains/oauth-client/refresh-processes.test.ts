import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { saveConnection } from '#fairway/server/domains/oauth-client/stored-connections'
import { createTestApp } from '../../../support/app'
import { SECRET } from '../../../support/secrets'
import { serve } from '../../../support/web-server'

const nextLine = async (child: ChildProcess): Promise<string> => {
  const [chunk] = await once(child.stdout!, 'data')
  return String(chunk).trim()
}

it('getAccessToken refreshes once for fifty callers in each of two processes', async () => {
  let refreshes = 0
  const provider = await serve(async () => {
    refreshes += 1
    await sleep(300)
    return Response.json({
      access_token: `access-${refreshes}`,
      refresh_token: 'next',
      token_type: 'Bearer',
      expires_in: 3600,
    })
  })
  const endpoints = { authorization: `${provider.origin}/authorize`, token: `${provider.origin}/token` }
  const env = {
    FW_OAUTH_PROVIDERS: JSON.stringify([{ id: 'tracker', name: 'T', endpoints, clientId: 'c', clientSecret: 's' }]),
  }
  const test = await createTestApp(env)
  const tokens = { access_token: 'old', refresh_token: 'first', token_type: 'bearer', expires_in: 10 }
  await saveConnection(test.app, { userId: 'ada', provider: 'tracker', tokens, scopes: [] })
  const children = [0, 1].map(() =>
    spawn('node', ['tests/unit/domains/oauth-client/refresh-process.mjs'], {
      env: {
        ...process.env,
        ...env,
        NODE_ENV: 'test',
        DATABASE_URL: test.app.config.database.url,
        BETTER_AUTH_SECRET: SECRET,
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    }),
  )
  await Promise.all(children.map(nextLine))
  const answers = children.map(nextLine)
  for (const child of children) child.stdin?.write('go\n')
  expect(await Promise.all(answers)).toEqual(['["access-1"]', '["access-1"]'])
  expect(refreshes).toBe(1)
  await provider.stop()
  await test.close()
}, 60_000)

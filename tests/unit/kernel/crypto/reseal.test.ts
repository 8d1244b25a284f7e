import { beforeEach, describe, expect, it } from 'vitest'
import { connectionSealedColumns, getAccessToken } from '#fairway/server/domains/oauth-client'
import { saveConnection } from '#fairway/server/domains/oauth-client/stored-connections'
import { requireCredential, vaultSealedColumns } from '#fairway/server/domains/organizations'
import { putCredential } from '#fairway/server/domains/organizations/vault'
import type { App } from '#fairway/server/kernel/app-context'
import { createKeyRing, seal, unseal } from '#fairway/server/kernel/crypto/seal'
import { reseal } from '#fairway/server/kernel/crypto/reseal'
import { mailSealedColumns } from '#fairway/server/kernel/mail/queue-mail'
import { useTestApp } from '../../../support/use-app'
import { query } from '../../../support/query'
import { OTHER_SECRET, SECRET } from '../../../support/secrets'

const tracker = {
  id: 'tracker',
  name: 'T',
  endpoints: { authorization: 'https://t.test/a', token: 'https://t.test/t' },
  clientId: 'c',
}
const columns = [...vaultSealedColumns, ...connectionSealedColumns]

const test = useTestApp({ FW_OAUTH_PROVIDERS: JSON.stringify([tracker]) })
let app: App

const withSecrets = (...secrets: [string, ...string[]]): App => ({
  ...app,
  config: { ...app.config, keys: createKeyRing(secrets) },
})
const resealAll = (from: App, dryRun = false) => Promise.all(columns.map(column => reseal(from, column, { dryRun })))

beforeEach(async () => {
  app = test.app
  for (let index = 0; index < 450; index++)
    await putCredential(app, { userId: `user-${index}` }, 'key', `value-${index}`)
  const tokens = { access_token: 'access', refresh_token: 'refresh', token_type: 'bearer', expires_in: 3600 }
  await saveConnection(app, { userId: 'user-1', provider: 'tracker', tokens, scopes: [] })
})

describe('reseal after a secret rotation', () => {
  it('reseals waiting mails and skips mails that were given up', async () => {
    const columns = mailSealedColumns
    for (const [id, content] of [
      ['waits', seal(app.config.keys, 'mail-outbox', '{}', 'waits')],
      ['given-up', ''],
    ] as const)
      await query(test.app, 'insert into mail_outbox (id, content, created_at) values (?, ?, 0)', [id, content])
    const rotated = withSecrets(OTHER_SECRET, SECRET)
    const reports = await Promise.all(columns.map(column => reseal(rotated, column, { dryRun: false })))
    expect(reports).toMatchObject([{ rows: 1, resealed: 1, unreadable: 0 }])
    const [row] = await query(test.app, "select content from mail_outbox where id = 'waits'")
    expect(unseal(withSecrets(OTHER_SECRET).config.keys, 'mail-outbox', String(row?.content), 'waits')).toBe('{}')
  })

  it('counts values without changing them in a dry run', async () => {
    const rotated = withSecrets(OTHER_SECRET, SECRET)
    expect((await resealAll(rotated, true)).map(({ resealed }) => resealed)).toEqual([450, 1, 1])
    expect((await resealAll(rotated, true)).map(({ resealed }) => resealed)).toEqual([450, 1, 1])
  })

  it('makes all values readable with the new secret alone', async () => {
    const seen: number[] = []
    for (const column of columns) {
      await reseal(withSecrets(OTHER_SECRET, SECRET), column, {
        dryRun: false,
        onProgress: ({ rows }) => seen.push(rows),
      })
    }
    expect(seen.slice(0, 3)).toEqual([200, 400, 450])
    const alone = withSecrets(OTHER_SECRET)
    expect(await requireCredential(alone, { userId: 'user-449', orgId: null }, 'key')).toBe('value-449')
    expect(await getAccessToken(alone, 'user-1', 'tracker')).toBe('access')
    expect((await resealAll(alone)).map(({ resealed, unreadable }) => resealed + unreadable)).toEqual([0, 0, 0])
    const rows = await query(app, 'select distinct key_id from vault_credentials')
    expect(rows).toHaveLength(1)
  })

  it('counts unreadable values and leaves them unchanged', async () => {
    const lost = withSecrets(OTHER_SECRET)
    expect((await resealAll(lost)).map(({ unreadable }) => unreadable)).toEqual([450, 1, 1])
    expect(await requireCredential(app, { userId: 'user-0', orgId: null }, 'key')).toBe('value-0')
  })
})

import { dirname } from 'node:path'
import { expect, it } from 'vitest'
import { tellEndingSecrets } from '#fairway/server/domains/organizations'
import { aMember } from '../../../support/members'
import { readOutbox } from '../../../support/mail'
import { query } from '../../../support/query'
import { useTestApp } from '../../../support/use-app'

const test = useTestApp()
const DAY_IN_MS = 24 * 60 * 60 * 1000

const subjects = () =>
  readOutbox(dirname(test.app.config.mail.outbox ?? ''))
    .map(({ subject }) => subject)
    .filter(subject => subject.includes('ends soon'))

it('owners get a mail 30 and 7 days before the secret of an active connection ends, once each', async () => {
  const { app } = test
  const { userId } = await aMember(app)
  const at = app.now().getTime()
  await query(app, `insert into organizations (id, name, created_by, created_at) values ('larch', 'Larch', ?, 0)`, [
    userId,
  ])
  await query(app, `insert into org_members (org_id, user_id, role, joined_at) values ('larch', ?, 'owner', 0)`, [
    userId,
  ])
  const add = (id: string, days: number, state: string) =>
    query(
      app,
      `insert into fw_org_connections (id, org_id, name, client_auth, provision, default_role, state, secret_ends_at,
          domain, created_by, created_at)
        values (?, 'larch', ?, 'secret', 1, 'member', ?, ?, ?, ?, 0)`,
      [id, id, state, at + days * DAY_IN_MS, id, userId],
    )
  await add('far', 31, 'active')
  await add('draft', 5, 'draft')
  await add('near', 30, 'active')
  expect([await tellEndingSecrets(app), await tellEndingSecrets(app)]).toEqual([1, 0])
  expect(subjects()).toEqual(['The secret of near ends soon (Fairway)'])
  await query(app, 'update fw_org_connections set secret_ends_at = ? where id = ?', [at + 7 * DAY_IN_MS, 'near'])
  expect([await tellEndingSecrets(app), await tellEndingSecrets(app)]).toEqual([1, 0])
  await query(app, 'update fw_org_connections set secret_ends_at = ? where id = ?', [at - DAY_IN_MS, 'near'])
  expect(await tellEndingSecrets(app)).toBe(0)
  const told = await query(app, 'select id from fw_org_connections where secret_told_days is not null')
  expect(told.map(({ id }) => id)).toEqual(['near'])
})

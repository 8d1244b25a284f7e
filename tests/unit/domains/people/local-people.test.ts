import { afterEach, describe, expect, it } from 'vitest'
import { findLocalPerson } from '#fairway/server/domains/people/local-people'
import { createTestApp, type TestApp } from '../../../support/app'
import { aMember, signInAs } from '../../../support/members'
import { query } from '../../../support/query'

let test: TestApp
afterEach(() => test.close())

async function startAs(email?: string) {
  test = await createTestApp({ AUTH_MODE: 'local', ...(email && { FW_USER_EMAIL: email }) })
  return test.app
}

describe('AUTH_MODE=local', () => {
  it('acts as the person of FW_USER_EMAIL only while they are signed in', async () => {
    const app = await startAs('Bob@example.test')
    const bob = await aMember(app, { email: 'bob@example.test' })
    const eve = await aMember(app, { email: 'eve@example.test' })
    await signInAs(app, eve)
    const refused = 'FW_USER_EMAIL names nobody who is signed in to this database.'
    await expect(findLocalPerson(app)).rejects.toMatchObject({ code: 'unauthenticated', detail: refused })
    await signInAs(app, bob)
    expect(await findLocalPerson(app)).toBe(bob.userId)
    await query(app, 'update sessions set expires_at = 1 where user_id = ?', [bob.userId])
    await expect(findLocalPerson(app)).rejects.toMatchObject({ code: 'unauthenticated' })
  })
})

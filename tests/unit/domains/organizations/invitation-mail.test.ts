import { afterEach, expect, it } from 'vitest'
import { invite, requireOrg } from '#fairway/server/domains/organizations'
import { unseal } from '#fairway/server/kernel/crypto/seal'
import { createTestApp, type TestApp } from '../../../support/app'
import { aMember } from '../../../support/members'
import { query } from '../../../support/query'

let test: TestApp
afterEach(() => test.close())

/** The subject and the text of an invitation by a person and an organization with these names. */
async function invitationBy(name: string, organization: string): Promise<{ subject: string; text: string }> {
  test = await createTestApp({ SMTP_URL: 'smtp://127.0.0.1:9', EMAIL_FROM: 'no-reply@example.test' })
  const owner = await aMember(test.app, { name })
  await invite(test.app, requireOrg({ ...owner, orgName: organization }, 'invite-member'), [
    { email: 'guest@example.test', role: 'member' },
  ])
  const [row] = await query(test.app, 'select id, content from mail_outbox')
  return JSON.parse(unseal(test.app.config.keys, 'mail-outbox', String(row?.content), String(row?.id)))
}

/** What mail programs make a link of, without a scheme. */
const LINK = /[\p{L}\p{N}-]+[.\u3002\uff0e\uff61\u2024]\p{L}{2,}/u

it.each([
  ['Claim your prize at evil.example.com', 'Evil.com Prizes'],
  ['www.evil.example', 'xn--80ak6aa92e.com'],
  ['bücher。example', 'evil\uff0eexample'],
])('names that look like a domain are no links: %j, %j', async (name, organization) => {
  const { subject, text } = await invitationBy(name, organization)
  for (const part of [subject, ...text.split('\n').filter(line => !line.includes('/invitation'))])
    expect(part.replaceAll('guest@example.test', '')).not.toMatch(LINK)
  expect(subject.replaceAll('\u2060', '')).toContain(`${name} invited you to ${organization}`)
})

it.each([
  ['Dr. Who', 'St. Gallen'],
  ['Ada Lovelace Jr.', 'Larch & Co.'],
])('other names stay as they are: %j, %j', async (name, organization) => {
  expect((await invitationBy(name, organization)).subject).toBe(`${name} invited you to ${organization}`)
})

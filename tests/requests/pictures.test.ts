import { describe, expect, it } from 'vitest'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { startBucket } from '../support/bucket'
import { codeOf } from '../support/error-code'
import { sessionOf } from '../support/http'
import { PNG } from '../support/papers'
import { countRows, query } from '../support/query'
import { borrowServer } from '../support/server'
import { useServer } from '../support/use-server'
import { createTeamWorld, type TeamPerson } from '../support/team'

const PATH = '/_fw/account/picture'
/** The smallest bytes that identify each type; the server does not decode pictures. */
const pictures = {
  'image/webp': Buffer.from('RIFF\x04\0\0\0WEBPVP8 ', 'latin1'),
  'image/jpeg': Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0x10]),
  'image/png': PNG,
}

const server = useServer()
const world = createTeamWorld(server)

const upload = ({ browser }: TeamPerson, bytes: Buffer, type = 'image/webp', { origin } = server) =>
  fetch(origin + PATH, {
    method: 'PUT',
    headers: { origin, cookie: browser.cookieHeader(), 'content-type': type },
    body: new Uint8Array(bytes),
  })
const filesOf = ({ userId }: TeamPerson) =>
  query(server, `select id, state, org_id from fw_files where table_name = 'users' and row_id = ? order by id`, [
    userId,
  ])
const bytesOnDisk = () => readdirSync(join(server.dataDir, 'files'), { recursive: true }).map(String).join(' ')
const imageOf = async ({ browser }: TeamPerson) => String((await sessionOf(browser)).image)

describe('profile picture', () => {
  it.each(Object.entries(pictures))(
    'is identified by its first bytes, regardless of the declared type: %s',
    async (type, bytes) => {
      const person = await world.person()
      expect((await upload(person, bytes, 'text/html')).status).toBe(200)
      const answer = await person.browser.get(await imageOf(person))
      expect(answer.headers.get('content-type')).toBe(type)
      expect(Buffer.from(await answer.arrayBuffer())).toEqual(bytes)
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
      expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none';/)
      expect(answer.headers.get('cache-control')).toBe('private, max-age=31536000, immutable')
    },
  )

  it('returns 415 for other types and 413 above 200 KiB', async () => {
    const person = await world.person()
    const page = await upload(person, Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'image/svg+xml')
    expect([page.status, await codeOf(page)]).toEqual([415, 'file-type-refused'])
    const large = await upload(person, Buffer.concat([pictures['image/webp'], Buffer.alloc(200 * 1024)]))
    expect([large.status, await codeOf(large)]).toEqual([413, 'payload-too-large'])
    expect(await countRows(server, 'fw_files where user_id = ?', [person.userId])).toBe(0)
    expect((await sessionOf(person.browser)).image).toBeNull()
  })

  it('is stored as a file that belongs to the person and to no organization', async () => {
    const { owner } = await world.team()
    await upload(owner, PNG)
    const [file] = await filesOf(owner)
    expect(file).toEqual({ id: expect.any(String), state: 'kept', org_id: '' })
    expect(bytesOnDisk()).toContain(file?.id)
    expect(await imageOf(owner)).toContain(file?.id)
  })

  it('is visible to its owner and members of the same organization, and returns 404 to others', async () => {
    const { owner, member, outsider } = await world.team()
    await upload(owner, pictures['image/webp'])
    const path = await imageOf(owner)
    const statusFor = async ({ browser }: TeamPerson) => (await browser.get(path)).status
    expect([await statusFor(owner), await statusFor(member), await statusFor(outsider)]).toEqual([200, 200, 404])
    expect((await fetch(server.origin + path)).status).toBe(401)
    await query(server, 'delete from org_members where user_id = ?', [member.userId])
    expect(await statusFor(member)).toBe(404)
  })

  it('gets a new address with each change, and the old address returns 404', async () => {
    const person = await world.person()
    await upload(person, pictures['image/webp'])
    const first = await imageOf(person)
    await upload(person, pictures['image/png'])
    expect(await imageOf(person)).not.toBe(first)
    expect((await person.browser.get(first)).status).toBe(404)
    expect((await person.browser.request(PATH, { method: 'DELETE' })).status).toBe(204)
    expect((await sessionOf(person.browser)).image).toBeNull()
    expect((await filesOf(person)).map(({ state }) => state)).toEqual(['unwanted', 'unwanted'])
  })

  it('is included in the account export with its bytes and deleted with the account', async () => {
    const person = await world.person()
    await upload(person, PNG)
    const { account } = await (await person.browser.get('/_fw/account/export')).json()
    expect(account.files).toEqual([
      expect.objectContaining({ type: 'image/png', organization: null, content: PNG.toString('base64') }),
    ])
    await person.browser.request('/_fw/account', { method: 'DELETE', json: { email: person.email } })
    expect((await filesOf(person)).map(({ state }) => state)).toEqual(['unwanted'])
    expect(await countRows(server, 'fw_files where user_id = ?', [person.userId])).toBe(0)
  })

  it('is served at its old address until replaced when it predates file storage', async () => {
    const person = await world.person()
    const image = `/_fw/people/${person.userId}/picture?v=old`
    const insert = `insert into fw_user_pictures (user_id, version, type, bytes, created_at) values (?, 'old', 'image/png', ?, 0)`
    await query(server, insert, [person.userId, PNG])
    await query(server, 'update users set image = ? where id = ?', [image, person.userId])
    const answer = await person.browser.get(image)
    expect([answer.headers.get('content-type'), answer.headers.get('cache-control')]).toEqual([
      'image/png',
      'private, max-age=31536000, immutable',
    ])
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(PNG)
    const { account } = await (await person.browser.get('/_fw/account/export')).json()
    expect(account.picture).toEqual([expect.objectContaining({ bytes: PNG.toString('base64') })])
    await upload(person, pictures['image/webp'])
    expect((await person.browser.get(image)).status).toBe(404)
    expect((await person.browser.get(await imageOf(person))).headers.get('content-type')).toBe('image/webp')
    expect(await countRows(server, 'fw_user_pictures where user_id = ?', [person.userId])).toBe(0)
  })

  it('is shown to members immediately', async () => {
    const { owner, member } = await world.team()
    await upload(member, pictures['image/webp'])
    const { member: rows } = await (
      await owner.browser.get('/team-members', { headers: { accept: 'application/ld+json' } })
    ).json()
    const shown = rows.find((row: { userId: string }) => row.userId === member.userId)
    expect(shown.image).toBe(await imageOf(member))
  })
})

describe('profile picture in a bucket', () => {
  it('is sent by the server, even when browsers load other files directly from the bucket', async () => {
    const bucket = await startBucket()
    const elsewhere = await borrowServer({
      env: {
        FW_FILES: `s3://files/app?endpoint=${bucket.endpoint}&region=eu-central-1&direct=1`,
        FW_FILES_KEY: bucket.keys.accessKeyId,
        FW_FILES_SECRET: bucket.keys.secretAccessKey,
      },
    })
    try {
      const person = await createTeamWorld(elsewhere).person()
      expect((await upload(person, PNG, 'image/png', elsewhere)).status).toBe(200)
      const answer = await person.browser.get(await imageOf(person))
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([
        200,
        'private, max-age=31536000, immutable',
      ])
      expect(Buffer.from(await answer.arrayBuffer())).toEqual(PNG)
    } finally {
      await elsewhere.stop()
      await bucket.stop()
    }
  })
})

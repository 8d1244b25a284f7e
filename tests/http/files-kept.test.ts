import { mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { createPapers, HTML, PDF, PNG, SVG } from '../support/papers'
import { query } from '../support/query'
import { useServer } from '../support/use-server'
import { createTeamWorld, type TeamPerson } from '../support/team'

const server = useServer({ application: 'author', env: { FW_ORG_DELETION_GRACE: '0' } })
const world = createTeamWorld(server)
let owner: TeamPerson
let member: TeamPerson
let outsider: TeamPerson
let papers: ReturnType<typeof createPapers>

beforeAll(async () => {
  ;({ owner, member, outsider } = await world.team())
  papers = createPapers(server)
}, 600_000)

const uploaded: typeof papers.uploaded = (...args) => papers.uploaded(...args)
const act: typeof papers.act = (...args) => papers.act(...args)
const item: typeof papers.item = (...args) => papers.item(...args)
const aPaper: typeof papers.aPaper = (...args) => papers.aPaper(...args)
const bytesOnDisk = () => papers.bytesOnDisk()

describe('GET /_fw/files/<collection>/<row>/<file>', () => {
  it('checks the policy of the row on each request', async () => {
    const { id, url } = await aPaper(owner)
    expect((await owner.browser.get(url)).status).toBe(200)
    expect((await member.browser.get(url)).status).toBe(404)
    expect((await outsider.browser.get(url)).status).toBe(404)
    expect((await fetch(server.origin + url)).status).toBe(401)
    await query(server, 'update papers set created_by = ? where id = ?', [member.email, id])
    expect((await member.browser.get(url)).status).toBe(200)
  })

  it('returns a file only under its own row', async () => {
    const [one, two] = [await aPaper(owner), await aPaper(owner)]
    expect((await owner.browser.get(`/_fw/files/paper-list/${one.id}/${two.file.id}`)).status).toBe(404)
    expect((await owner.browser.get(`/_fw/files/berth-list/1/${two.file.id}`)).status).toBe(404)
    expect((await owner.browser.get(`/_fw/files/nothing/${two.id}/${two.file.id}`)).status).toBe(404)
    expect((await owner.browser.post(one.url)).status).toBe(405)
  })

  it('prevents files from running code on the application’s origin', async () => {
    const { id } = await aPaper(owner, PNG, [SVG, HTML, PDF])
    const { contract, attachments } = await item(owner, id)
    const heads = await Promise.all(
      [contract, ...attachments].map(({ url }) => owner.browser.request(url, { method: 'HEAD' })),
    )
    for (const { headers } of heads) {
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; (?!.*script)/)
      expect(headers.get('cache-control')).toBe('private, no-cache')
    }
    const shown = heads.map(({ headers }) => [
      headers.get('content-type')?.split(';')[0],
      headers.get('content-disposition')?.split(';')[0],
      headers.get('content-security-policy')?.includes('sandbox'),
    ])
    expect(shown).toEqual([
      ['image/png', 'inline', false],
      ['image/svg+xml', 'attachment', true],
      ['text/html', 'attachment', true],
      ['application/pdf', 'inline', false],
    ])
    const saved = await owner.browser.request(`${contract.url}?download`, { method: 'HEAD' })
    expect(saved.headers.get('content-disposition')).toMatch(/^attachment;/)
  })

  it('sends file names in ASCII and in UTF-8', async () => {
    const file = await uploaded(owner, PDF, { name: 'Verträge "2031" (neu).pdf' })
    const { body } = await act(owner, 'create-paper', { title: 'Names', contract: file.ticket })
    const answer = await owner.browser.get(`/_fw/files/paper-list/${body.result.id}/${file.id}?download`)
    expect(answer.headers.get('content-disposition')).toBe(
      `attachment; filename="Vertr_ge _2031_ (neu).pdf"; filename*=UTF-8''Vertr%C3%A4ge%20%222031%22%20%28neu%29.pdf`,
    )
  })

  it('supports range requests and returns 304 for a matching ETag', async () => {
    const { url } = await aPaper(owner, '0123456789')
    const get = (headers: Record<string, string>) => owner.browser.get(url, { headers })
    const whole = await get({})
    const etag = whole.headers.get('etag') ?? ''
    expect([whole.headers.get('accept-ranges'), whole.headers.get('content-length')]).toEqual(['bytes', '10'])
    expect((await get({ 'if-none-match': etag })).status).toBe(304)
    const part = async (range: string, more = {}) => {
      const answer = await get({ range, ...more })
      return [answer.status, answer.headers.get('content-range'), answer.status < 300 ? await answer.text() : '']
    }
    expect(await part('bytes=2-4')).toEqual([206, 'bytes 2-4/10', '234'])
    expect(await part('bytes=7-')).toEqual([206, 'bytes 7-9/10', '789'])
    expect(await part('bytes=-2')).toEqual([206, 'bytes 8-9/10', '89'])
    expect(await part('bytes=5-99')).toEqual([206, 'bytes 5-9/10', '56789'])
    expect(await part('bytes=10-')).toEqual([416, 'bytes */10', ''])
    expect(await part('bytes=4-2')).toEqual([200, null, '0123456789'])
    expect(await part('bytes=0-1,4-5')).toEqual([200, null, '0123456789'])
    expect(await part('bytes=2-4', { 'if-range': etag })).toEqual([206, 'bytes 2-4/10', '234'])
    expect(await part('bytes=2-4', { 'if-range': '"another"' })).toEqual([200, null, '0123456789'])
    const head = await owner.browser.request(url, { method: 'HEAD', headers: { range: 'bytes=2-4' } })
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([206, '3', ''])
  })

  it('includes file names in an export', async () => {
    const { file } = await aPaper(outsider, PDF, ['one'])
    const csv = await (await outsider.browser.get('/paper-list/export/csv')).text()
    expect(csv).toContain(`,${file.name},b\r\n`)
  })
})

describe('Account export with files', () => {
  it('contains the files the person uploaded, with their bytes only while they are a member', async () => {
    const { member: someone } = await world.team()
    const { file } = await aPaper(someone, PNG)
    const exported = async () => (await (await someone.browser.get('/_fw/account/export')).json()).account.files
    const { id, name, type, size } = file
    expect(await exported()).toEqual([
      expect.objectContaining({ id, name, type, size, content: PNG.toString('base64') }),
    ])
    await query(server, 'delete from org_members where user_id = ?', [someone.userId])
    expect(await exported()).toEqual([expect.objectContaining({ id, content: null })])
  })
})

describe('File deletion', () => {
  const states = (...ids: string[]) =>
    query(server, `select state from fw_files where id in (select value from json_each(?)) order by id`, [
      JSON.stringify(ids),
    ])
  /** Queues the job that deletes files and waits until it is done. */
  const sweep = async (input: object = {}) => {
    const id = `sweep-${Math.random()}`
    await query(
      server,
      `insert into fw_jobs (id, name, input, state, run_at, most_attempts, created_at) values (?, 'fw-delete-files', ?, 'ready', 0, 1, 0)`,
      [id, JSON.stringify(input)],
    )
    await expect.poll(() => query(server, 'select state from fw_jobs where id = ?', [id])).toEqual([{ state: 'done' }])
  }

  it('deletes a file when its row is deleted or no longer uses it', async () => {
    const { id, file, others } = await aPaper(owner, PDF, ['one', 'two'])
    await act(owner, 'update-paper', { id, contract: null, attachments: [others[1]?.id] })
    expect(await states(file.id, others[0]!.id, others[1]!.id)).toEqual([
      { state: 'unwanted' },
      { state: 'unwanted' },
      { state: 'kept' },
    ])
    await act(owner, 'delete-paper', { id })
    expect(await states(others[1]!.id)).toEqual([{ state: 'unwanted' }])
    await sweep()
    expect(await states(file.id, ...others.map(each => each.id))).toEqual([])
    for (const gone of [file, ...others]) expect(bytesOnDisk()).not.toContain(gone.id)
  })

  it('deletes an upload that no row uses within a day', async () => {
    const [old, fresh] = [await uploaded(owner, PDF), await uploaded(owner, PDF)]
    await query(server, 'update fw_files set created_at = created_at - 86400001 where id = ?', [old.id])
    await sweep()
    expect(await states(old.id, fresh.id)).toEqual([{ state: 'pending' }])
    expect(bytesOnDisk()).not.toContain(old.id)
    expect(await act(owner, 'create-paper', { title: 'Late', contract: old.ticket })).toMatchObject({
      body: { errors: [{ path: 'contract', code: 'upload-expired' }] },
    })
  })

  it('keeps bytes that the database does not know, and deletes files of replaced rows', async () => {
    const folder = join(server.dataDir, 'files', 'ab')
    mkdirSync(folder, { recursive: true })
    const dayBefore = new Date(Date.now() - 25 * 60 * 60 * 1000)
    for (const name of ['lost-ab', 'half-ab.part', 'new-ab']) writeFileSync(join(folder, name), 'x')
    for (const name of ['lost-ab', 'half-ab.part']) utimesSync(join(folder, name), dayBefore, dayBefore)
    const { id, file } = await aPaper(owner)
    await query(
      server,
      `replace into papers select id, org_id, created_by, created_by_name, title, null, attachments, created_at from papers where id = ?`,
      [id],
    )
    expect(await states(file.id)).toEqual([{ state: 'kept' }])
    await sweep({ all: true })
    // A file of another test may have an id that ends in ab.
    expect(
      readdirSync(folder)
        .filter(name => name.includes('-ab'))
        .toSorted(),
    ).toEqual(['half-ab.part', 'lost-ab', 'new-ab'])
    expect(await states(file.id)).toEqual([])
  })

  it('waits while a backup is written', async () => {
    const { id, file } = await aPaper(owner)
    await act(owner, 'delete-paper', { id })
    const mark = join(server.dataDir, 'files', '.backup')
    writeFileSync(mark, '')
    await sweep()
    expect(bytesOnDisk()).toContain(file.id)
    rmSync(mark)
    await sweep()
    expect(bytesOnDisk()).not.toContain(file.id)
  })

  it('deletes files with their organization, and keeps them there when only the account is deleted', async () => {
    const people = await world.team()
    const kept = await aPaper(people.member)
    const pending = await uploaded(people.member, PDF)
    expect(
      (await people.member.browser.request('/_fw/account', { method: 'DELETE', json: { email: people.member.email } }))
        .status,
    ).toBeLessThan(300)
    expect(await query(server, 'select user_id, state from fw_files where id = ?', [kept.file.id])).toEqual([
      { user_id: null, state: 'kept' },
    ])
    expect(await states(pending.id)).toEqual([{ state: 'unwanted' }])
    const left = await uploaded(people.owner, PDF)
    const [org] = await query(server, 'select name from organizations where id = ?', [people.orgId])
    const deletion = await people.owner.browser.request('/_fw/org', { method: 'DELETE', json: { name: org?.name } })
    expect(deletion.status, await deletion.text()).toBeLessThan(300)
    await expect.poll(() => states(kept.file.id, left.id)).toEqual([{ state: 'unwanted' }, { state: 'unwanted' }])
  })
})

import { mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTeamWorld, type TeamPerson } from '../support/team'
import { query } from '../support/query'
import { borrowServer, type TestServer } from '../support/server'

const PDF = Buffer.from('%PDF-1.7\n1 0 obj\n<< >>\nendobj\ntrailer\n<< >>\n%%EOF\n')
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const SVG = '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
const HTML = '<!doctype html><script>alert(1)</script>'

let server: TestServer
let owner: TeamPerson
let member: TeamPerson
let outsider: TeamPerson
let world: ReturnType<typeof createTeamWorld>

beforeAll(async () => {
  server = await borrowServer({ application: 'author', env: { FW_ORG_DELETION_GRACE: '0' } })
  world = createTeamWorld(server)
  ;({ owner, member, outsider } = await world.team())
}, 600_000)
afterAll(() => server.stop())

interface Sent {
  upload?: string
  name?: string
  headers?: Record<string, string>
}

/** Uploads as the browser of this person does. */
const upload = (
  who: TeamPerson,
  body: string | Buffer,
  { upload: place = 'contract', name = 'a.pdf', headers }: Sent = {},
) =>
  fetch(`${server.origin}/_fw/files/${place}`, {
    method: 'POST',
    body: typeof body === 'string' ? body : new Uint8Array(body),
    headers: {
      origin: server.origin,
      'sec-fetch-site': 'same-origin',
      cookie: who.browser.cookieHeader(),
      'content-type': 'application/octet-stream',
      'x-file-name': encodeURIComponent(name),
      ...headers,
    },
  })

const streamed = (body: ReadableStream<Uint8Array>) => ({ body, duplex: 'half' }) as RequestInit

interface Uploaded {
  ticket: string
  id: string
  name: string
  type: string
  size: number
}

const uploaded = async (...sent: Parameters<typeof upload>): Promise<Uploaded> => {
  const answer = await upload(...sent)
  expect(answer.status, await answer.clone().text()).toBe(201)
  return answer.json()
}

const act = async (who: TeamPerson, name: string, json: object) => {
  const answer = await who.browser.post(`/_fw/actions/${name}`, { json })
  return { status: answer.status, body: await answer.json() }
}

const item = async (who: TeamPerson, id: string) => (await who.browser.get(`/paper-list/${id}`)).json()

const bytesOnDisk = (): string[] =>
  readdirSync(join(server.dataDir, 'files'), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ name }) => name)

describe('POST /_fw/files/<upload>', () => {
  it('takes a file, says what its bytes are, and keeps it for its row', async () => {
    const file = await uploaded(owner, PDF, { name: 'Vertrag Größe.pdf', headers: { 'content-type': 'text/html' } })
    expect(file).toMatchObject({ name: 'Vertrag Größe.pdf', type: 'application/pdf', size: PDF.length })
    const { body, status } = await act(owner, 'create-paper', { title: 'One', contract: file.ticket })
    expect({ status, contract: body.result.contract }).toEqual({ status: 200, contract: file.id })
    const { contract } = await item(owner, body.result.id)
    const url = `/_fw/files/paper-list/${body.result.id}/${file.id}`
    expect(contract).toEqual({ id: file.id, name: 'Vertrag Größe.pdf', type: 'application/pdf', size: PDF.length, url })
    const answer = await owner.browser.get(url)
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(PDF)
  })

  it.each([
    ['the name of a picture', SVG, 'photo.png', 'image/svg+xml'],
    ['the name of a document', HTML, 'a.pdf', 'text/html'],
    ['bytes of nothing known', Buffer.from([1, 2, 3, 0, 255]), 'a.pdf', 'application/octet-stream'],
    ['a program', Buffer.from('MZ\x90\0\x03\0\0\0', 'latin1'), 'a.pdf', 'application/x-msdownload'],
  ])('refuses what is something else under %s', async (_what, body, name, type) => {
    const answer = await upload(owner, body, { name, headers: { 'content-type': 'application/pdf' } })
    expect(await answer.json()).toMatchObject({
      status: 415,
      code: 'file-type-refused',
      detail: `This is ${type}. Send application/pdf or image/* or text/plain.`,
    })
  })

  it.each([
    ['a', 'x-file-name', '..%2F..%2Fetc%2Fpasswd', 'passwd'],
    ['an', 'x-file-name', 'a%E2%80%AEgpj.exe', 'agpj.exe'],
    ['a', 'content-disposition', `attachment; filename="C:\\\\fakepath\\\\plan.txt"`, 'plan.txt'],
    ['a', 'content-disposition', `attachment; filename="x"; filename*=UTF-8''Stra%C3%9Fe.txt`, 'Straße.txt'],
    ['a', 'x-file-name', '', 'file'],
  ])('keeps %s file of %s: %s as %s%s', async (_article, header, value, name) => {
    const { 'x-file-name': _own, ...rest } = { 'x-file-name': '', [header]: value }
    const headers = header === 'x-file-name' ? { [header]: value } : { ...rest, 'x-file-name': '' }
    const answer = await fetch(`${server.origin}/_fw/files/contract`, {
      method: 'POST',
      body: 'A plain text.',
      headers: {
        origin: server.origin,
        'sec-fetch-site': 'same-origin',
        cookie: owner.browser.cookieHeader(),
        ...Object.fromEntries(Object.entries(headers).filter(([, text]) => text !== '')),
      },
    })
    expect(await answer.json()).toMatchObject({ name, type: 'text/plain' })
  })

  it('refuses a file that says it is too large before a byte of it is read', async () => {
    const answer = await upload(owner, Buffer.alloc(1024 * 1024 + 1, 'a'))
    expect(await answer.json()).toMatchObject({ status: 413, code: 'file-too-large', maxSize: 1024 * 1024 })
  })

  it('refuses a file that becomes too large while it arrives, and keeps nothing of it', async () => {
    const before = bytesOnDisk()
    let sent = 0
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 64 * 1024
        if (sent > 4 * 1024 * 1024) controller.close()
        else controller.enqueue(Buffer.alloc(64 * 1024, 'a'))
      },
    })
    const answer = await fetch(`${server.origin}/_fw/files/contract`, {
      method: 'POST',
      ...streamed(endless),
      headers: {
        origin: server.origin,
        'sec-fetch-site': 'same-origin',
        cookie: owner.browser.cookieHeader(),
        'x-file-name': 'a.txt',
      },
    })
    expect(await answer.json()).toMatchObject({ status: 413, code: 'file-too-large' })
    expect(bytesOnDisk()).toEqual(before)
  })

  it('keeps nothing of a file that ends early', async () => {
    const before = bytesOnDisk()
    const gone = new AbortController()
    let sent = 0
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        sent += 1
        if (sent > 10) await new Promise(resolve => setTimeout(resolve, 50)).then(() => gone.abort())
        else controller.enqueue(Buffer.alloc(32 * 1024, 'a'))
      },
    })
    const sending = fetch(`${server.origin}/_fw/files/attachment`, {
      method: 'POST',
      ...streamed(body),
      signal: gone.signal,
      headers: { origin: server.origin, cookie: owner.browser.cookieHeader(), 'sec-fetch-site': 'same-origin' },
    })
    await expect(sending).rejects.toThrow()
    await expect.poll(bytesOnDisk).toEqual(before)
  })

  it('asks for a session, our own page, an organization, the guard of the upload, and a name that is declared', async () => {
    const code = async (answer: Response) => ((await answer.json()) as { code: string }).code
    expect(await code(await fetch(`${server.origin}/_fw/files/contract`, { method: 'POST', body: 'a' }))).toBe(
      'unauthenticated',
    )
    expect(await code(await upload(owner, 'a', { headers: { origin: 'https://evil.example' } }))).toBe('cross-origin')
    expect(await code(await upload(member, 'a,b', { upload: 'ledger', name: 'a.csv' }))).toBe('forbidden')
    expect((await uploaded(owner, 'a,b', { upload: 'ledger', name: 'a.csv' })).type).toBe('text/csv')
    expect(await code(await upload(owner, 'a', { upload: 'nothing' }))).toBe('not-found')
    expect(await (await owner.browser.get('/_fw/files/contract')).json()).toEqual({
      accept: ['application/pdf', 'image/*', 'text/plain'],
      maxSize: 1024 * 1024,
    })
  })
})

/** A paper of this person with a contract and attachments. */
async function aPaper(who: TeamPerson, contract: Buffer | string = PDF, attachments: (Buffer | string)[] = []) {
  const file = await uploaded(who, contract)
  const others: Uploaded[] = []
  for (const each of attachments) others.push(await uploaded(who, each, { upload: 'attachment', name: 'b' }))
  const { body } = await act(who, 'create-paper', {
    title: 'A paper',
    contract: file.ticket,
    attachments: others.map(({ ticket }) => ticket),
  })
  const id = String(body.result.id)
  return { id, file, others, url: `/_fw/files/paper-list/${id}/${file.id}` }
}

describe('a ticket', () => {
  const refused = (path: string, code = 'no-such-file') => ({
    status: 400,
    body: { code: 'invalid-input', errors: [{ path, code }] },
  })

  it('is good for the person, the organization and the upload that it is from', async () => {
    const { ticket, id } = await uploaded(owner, PDF)
    for (const who of [member, outsider])
      expect(await act(who, 'create-paper', { title: 'Theirs', contract: ticket })).toMatchObject(refused('contract'))
    expect(await act(owner, 'create-paper', { title: 'Mine', attachments: [ticket] })).toMatchObject(
      refused('attachments'),
    )
    expect(await act(owner, 'create-paper', { title: 'Mine', contract: id })).toMatchObject(refused('contract'))
    expect(await act(owner, 'create-paper', { title: 'Mine', contract: ticket })).toMatchObject({ status: 200 })
  })

  it('puts a file into one row alone, however many try at the same moment', async () => {
    const { ticket } = await uploaded(owner, PDF)
    const all = await Promise.all(
      Array.from({ length: 8 }, (_, n) => act(owner, 'create-paper', { title: `Paper ${n}`, contract: ticket })),
    )
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const { status, body } of all) if (status !== 200) expect(body).toMatchObject({ code: 'invalid-input' })
  })

  it('gives nobody the file of another row by its id, which readers of that row know', async () => {
    const { file } = await aPaper(member)
    const { id: own } = await aPaper(owner)
    expect(await act(owner, 'update-paper', { id: own, contract: file.id })).toMatchObject(refused('contract'))
    const hand = query(server, 'update papers set contract = ? where id = ?', [file.id, own])
    await expect(hand).rejects.toThrow('this file is not for this row')
  })

  it('is refused a day later', async () => {
    const { ticket, id } = await uploaded(owner, PDF)
    await query(server, 'delete from fw_files where id = ?', [id])
    expect(await act(owner, 'create-paper', { title: 'Late', contract: ticket })).toMatchObject(
      refused('contract', 'upload-expired'),
    )
  })

  it('takes the files that the row has, by id or as they were read, and no more than there may be', async () => {
    const { id, file, others } = await aPaper(owner, PDF, ['one', 'two'])
    const { ticket } = await uploaded(owner, PNG, { upload: 'attachment' })
    const { attachments, contract } = await item(owner, id)
    const changes = { id, contract, attachments: [{ ...attachments[1] }, ticket] }
    const { body } = await act(owner, 'update-paper', changes)
    expect(body.result).toMatchObject({ contract: file.id, attachments: [others[1]?.id, expect.any(String)] })
    const many = await Promise.all([1, 2, 3].map(n => uploaded(owner, `${n}`, { upload: 'attachment' })))
    const tooMany = { id, attachments: [others[1]?.id, ...many.map(each => each.ticket)] }
    expect(await act(owner, 'update-paper', tooMany)).toMatchObject(refused('attachments', 'too-many'))
  })
})

describe('GET /_fw/files/<collection>/<row>/<file>', () => {
  it('asks the policy of the row on each request', async () => {
    const { id, url } = await aPaper(owner)
    expect((await owner.browser.get(url)).status).toBe(200)
    expect((await member.browser.get(url)).status).toBe(404)
    expect((await outsider.browser.get(url)).status).toBe(404)
    expect((await fetch(server.origin + url)).status).toBe(401)
    await query(server, 'update papers set created_by = ? where id = ?', [member.email, id])
    expect((await member.browser.get(url)).status).toBe(200)
  })

  it('sends a file of the row that is named, and of no other one', async () => {
    const [one, two] = [await aPaper(owner), await aPaper(owner)]
    expect((await owner.browser.get(`/_fw/files/paper-list/${one.id}/${two.file.id}`)).status).toBe(404)
    expect((await owner.browser.get(`/_fw/files/berth-list/1/${two.file.id}`)).status).toBe(404)
    expect((await owner.browser.get(`/_fw/files/nothing/${two.id}/${two.file.id}`)).status).toBe(404)
    expect((await owner.browser.post(one.url)).status).toBe(405)
  })

  it('lets no file run code as our page', async () => {
    const { id } = await aPaper(owner, PNG, [SVG, HTML, PDF])
    const { contract, attachments } = await item(owner, id)
    const heads = await Promise.all(
      [contract, ...attachments].map(({ url }) => owner.browser.request(url, { method: 'HEAD' })),
    )
    for (const { headers } of heads) {
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
      expect(headers.get('cache-control')).toBe('private, no-cache')
    }
    const shown = heads.map(({ headers }) => [
      headers.get('content-type')?.split(';')[0],
      headers.get('content-disposition')?.split(';')[0],
    ])
    expect(shown).toEqual([
      ['image/png', 'inline'],
      ['image/svg+xml', 'attachment'],
      ['text/html', 'attachment'],
      ['application/pdf', 'inline'],
    ])
    const saved = await owner.browser.request(`${contract.url}?download`, { method: 'HEAD' })
    expect(saved.headers.get('content-disposition')).toMatch(/^attachment;/)
  })

  it('says names in ASCII and as they are', async () => {
    const file = await uploaded(owner, PDF, { name: 'Verträge "2031" (neu).pdf' })
    const { body } = await act(owner, 'create-paper', { title: 'Names', contract: file.ticket })
    const answer = await owner.browser.get(`/_fw/files/paper-list/${body.result.id}/${file.id}?download`)
    expect(answer.headers.get('content-disposition')).toBe(
      `attachment; filename="Vertr_ge _2031_ (neu).pdf"; filename*=UTF-8''Vertr%C3%A4ge%20%222031%22%20%28neu%29.pdf`,
    )
  })

  it('sends parts of a file, and nothing where the browser has it', async () => {
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

  it('names the files in an export', async () => {
    const { file } = await aPaper(outsider, PDF, ['one'])
    const csv = await (await outsider.browser.get('/paper-list/export/csv')).text()
    expect(csv).toContain(`,${file.name},b\r\n`)
  })
})

describe('the end of a file', () => {
  const states = (...ids: string[]) =>
    query(server, `select state from fw_files where id in (select value from json_each(?)) order by id`, [
      JSON.stringify(ids),
    ])
  /** Queues the job that deletes files, and waits until it is done. */
  const sweep = async (input: object = {}) => {
    const id = `sweep-${Math.random()}`
    await query(
      server,
      `insert into fw_jobs (id, name, input, state, run_at, most_attempts, created_at) values (?, 'fw-delete-files', ?, 'ready', 0, 1, 0)`,
      [id, JSON.stringify(input)],
    )
    await expect.poll(() => query(server, 'select state from fw_jobs where id = ?', [id])).toEqual([{ state: 'done' }])
  }

  it('comes with the end of its row, and when the row lets go of it', async () => {
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

  it('comes for an upload that became nothing within a day', async () => {
    const [old, fresh] = [await uploaded(owner, PDF), await uploaded(owner, PDF)]
    await query(server, 'update fw_files set created_at = created_at - 86400001 where id = ?', [old.id])
    await sweep()
    expect(await states(old.id, fresh.id)).toEqual([{ state: 'pending' }])
    expect(bytesOnDisk()).not.toContain(old.id)
    expect(await act(owner, 'create-paper', { title: 'Late', contract: old.ticket })).toMatchObject({
      body: { errors: [{ path: 'contract', code: 'upload-expired' }] },
    })
  })

  it('comes for bytes that no row knows, a day after they were written, and for rows that were replaced', async () => {
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
    expect(readdirSync(folder)).toEqual(['new-ab'])
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

  it('comes with the end of the organization; an account leaves the files of its organization there', async () => {
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

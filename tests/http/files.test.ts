import { beforeAll, describe, expect, it } from 'vitest'
import { createPapers, HTML, PDF, PNG, streamed, SVG } from '../support/papers'
import { query } from '../support/query'
import { useServer } from '../support/use-server'
import { createTeamWorld, type TeamPerson } from '../support/team'

const server = useServer({ application: 'author', env: { FW_ORG_DELETION_GRACE: '0' } })
let owner: TeamPerson
let member: TeamPerson
let outsider: TeamPerson
let papers: ReturnType<typeof createPapers>

beforeAll(async () => {
  const world = createTeamWorld(server)
  ;({ owner, member, outsider } = await world.team())
  papers = createPapers(server)
}, 600_000)

const upload: typeof papers.upload = (...args) => papers.upload(...args)
const uploaded: typeof papers.uploaded = (...args) => papers.uploaded(...args)
const act: typeof papers.act = (...args) => papers.act(...args)
const item: typeof papers.item = (...args) => papers.item(...args)
const aPaper: typeof papers.aPaper = (...args) => papers.aPaper(...args)
const bytesOnDisk = () => papers.bytesOnDisk()

describe('GET /_fw/files/<collection>/<row>/<file>?width=', () => {
  it('returns a small upright picture, or the original for an invalid width or picture', async () => {
    const { default: sharp } = await import('sharp')
    const background = { r: 200, g: 30, b: 30 }
    const taken = await sharp({ create: { width: 800, height: 400, channels: 3, background } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer()
    // The server has rewritten the metadata.
    const stored = await owner.browser.get((await aPaper(owner, taken)).url)
    const photo = Buffer.from(await stored.arrayBuffer())
    const paper = await aPaper(owner, photo)
    const small = await owner.browser.get(`${paper.url}?width=96`)
    expect(small.headers.get('content-type')).toBe('image/webp')
    expect(await sharp(Buffer.from(await small.arrayBuffer())).metadata()).toMatchObject({ width: 96, height: 192 })
    const etag = small.headers.get('etag') ?? ''
    const again = await owner.browser.get(`${paper.url}?width=96`, { headers: { 'if-none-match': etag } })
    expect(again.status).toBe(304)
    expect((await outsider.browser.get(`${paper.url}?width=96`)).status).toBe(404)
    for (const width of ['97', 'x']) {
      const whole = await owner.browser.get(`${paper.url}?width=${width}`)
      expect(Buffer.from(await whole.arrayBuffer())).toEqual(photo)
    }
    const cut = await aPaper(owner, photo.subarray(0, 300))
    const whole = await owner.browser.get(`${cut.url}?width=96`)
    expect(Buffer.from(await whole.arrayBuffer())).toEqual(photo.subarray(0, 300))
  })
})

describe('POST /_fw/files/<upload>', () => {
  it('stores a file, detects its type from its bytes and attaches it to its row', async () => {
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
  ])('returns 415 when the bytes are another type than the name says: %s', async (_what, body, name, type) => {
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
  ])('stores %s file named by %s: %s as %s%s', async (_article, header, value, name) => {
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

  it('returns 400 for a file name with NUL', async () => {
    const answer = await upload(owner, PDF, { name: 'a.pdf\u0000.exe' })
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      { code: 'invalid-input', errors: [{ path: 'name', code: 'broken-text' }] },
    ])
  })

  it('returns 413 for a file whose declared size is too large', async () => {
    const answer = await upload(owner, Buffer.alloc(1024 * 1024 + 1, 'a'))
    expect(await answer.json()).toMatchObject({ status: 413, code: 'file-too-large', maxSize: 1024 * 1024 })
  })

  it('returns 413 for a file that becomes too large while it arrives, and stores none of it', async () => {
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

  it('stores nothing of an upload that ends early', async () => {
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

  it('requires a session, the same origin, the guard of the upload and a declared upload name', async () => {
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

describe('Upload ticket', () => {
  const refused = (path: string, code = 'no-such-file') => ({
    status: 400,
    body: { code: 'invalid-input', errors: [{ path, code }] },
  })

  it('works only for the person, the organization and the upload it was issued for', async () => {
    const { ticket, id } = await uploaded(owner, PDF)
    for (const who of [member, outsider])
      expect(await act(who, 'create-paper', { title: 'Theirs', contract: ticket })).toMatchObject(refused('contract'))
    expect(await act(owner, 'create-paper', { title: 'Mine', attachments: [ticket] })).toMatchObject(
      refused('attachments'),
    )
    expect(await act(owner, 'create-paper', { title: 'Mine', contract: id })).toMatchObject(refused('contract'))
    expect(await act(owner, 'create-paper', { title: 'Mine', contract: ticket })).toMatchObject({ status: 200 })
  })

  it('attaches a file to one row only, even with concurrent requests', async () => {
    const { ticket } = await uploaded(owner, PDF)
    const all = await Promise.all(
      Array.from({ length: 8 }, (_, n) => act(owner, 'create-paper', { title: `Paper ${n}`, contract: ticket })),
    )
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const { status, body } of all) if (status !== 200) expect(body).toMatchObject({ code: 'invalid-input' })
  })

  it('cannot be replaced by the id of a file that belongs to another row', async () => {
    const { file } = await aPaper(member)
    const { id: own } = await aPaper(owner)
    expect(await act(owner, 'update-paper', { id: own, contract: file.id })).toMatchObject(refused('contract'))
    const hand = query(server, 'update papers set contract = ? where id = ?', [file.id, own])
    await expect(hand).rejects.toThrow('this file is not for this row')
  })

  it('is rejected a day later, when its upload is deleted', async () => {
    const { ticket, id } = await uploaded(owner, PDF)
    await query(server, 'delete from fw_files where id = ?', [id])
    expect(await act(owner, 'create-paper', { title: 'Late', contract: ticket })).toMatchObject(
      refused('contract', 'upload-expired'),
    )
  })

  it('is accepted together with the row’s existing files, up to the allowed number', async () => {
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

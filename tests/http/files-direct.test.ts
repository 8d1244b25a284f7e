import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startBucket } from '../support/bucket'
import { connectHost } from '../support/mcp'
import { createPapers, HTML, PDF } from '../support/papers'
import { borrowServer, type TestServer } from '../support/server'
import { createTeamWorld, type TeamPerson } from '../support/team'

let bucket: Awaited<ReturnType<typeof startBucket>>
let server: TestServer
let owner: TeamPerson
let member: TeamPerson
let papers: ReturnType<typeof createPapers>

beforeAll(async () => {
  bucket = await startBucket()
  server = await borrowServer({
    application: 'author',
    env: {
      FW_FILES: `s3://files/app?endpoint=${bucket.endpoint}&direct=1`,
      FW_FILES_KEY: bucket.keys.accessKeyId,
      FW_FILES_SECRET: bucket.keys.secretAccessKey,
    },
  })
  ;({ owner, member } = await createTeamWorld(server).team())
  papers = createPapers(server)
}, 600_000)
afterAll(async () => {
  await server.stop()
  await bucket.stop()
})

describe('File in a bucket with direct=1', () => {
  it('redirects to a signed bucket URL that returns the bytes', async () => {
    const { url, file } = await papers.aPaper(owner, PDF)
    const answer = await owner.browser.get(url)
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([302, 'no-store'])
    const address = new URL(answer.headers.get('location') ?? '')
    expect([address.origin, address.pathname]).toEqual([bucket.endpoint, `/files/app/${file.id}`])
    expect(address.searchParams.get('X-Amz-Expires')).toBe('60')

    const sent = await fetch(address)
    expect([sent.status, await sent.text()]).toEqual([200, PDF.toString()])
    expect(sent.headers.get('content-type')).toBe('application/pdf')
    expect(sent.headers.get('content-disposition')).toMatch(/^inline; filename="a.pdf"/)
    address.searchParams.set('response-content-type', 'text/html')
    expect((await fetch(address)).status).toBe(403)
  })

  it('is sent as an attachment when it could run code or is requested with ?download', async () => {
    const { url, id } = await papers.aPaper(owner, PDF, [HTML])
    const { attachments } = await papers.item(owner, id)
    for (const path of [`${url}?download`, attachments[0].url]) {
      const answer = await owner.browser.get(path)
      const sent = await fetch(answer.headers.get('location') ?? '')
      expect(sent.headers.get('content-disposition'), path).toMatch(/^attachment; /)
    }
  })

  it('returns no bucket URL to people who may not read the row', async () => {
    const { url } = await papers.aPaper(owner)
    const refused = [await member.browser.get(url), await fetch(server.origin + url)]
    expect(refused.map(({ status }) => status)).toEqual([404, 401])
    expect(refused.map(({ headers }) => headers.get('location'))).toEqual([null, null])
  })

  it('is read by MCP hosts through the server', async () => {
    const { url } = await papers.aPaper(owner)
    const made = await owner.browser.post('/_fw/tokens', {
      json: { name: 'Host', scopes: ['mcp:read'], expiresInDays: 30 },
    })
    const host = await connectHost(server.origin, (await made.json()).token)
    expect((await host.readResource({ uri: url })).contents).toMatchObject([{ blob: PDF.toString('base64') }])
  })
})

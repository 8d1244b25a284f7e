import { beforeAll, describe, expect, it } from 'vitest'
import { connectEarlierHost, connectHost } from '../support/mcp'
import { createPapers, PDF, PNG } from '../support/papers'
import { query } from '../support/query'
import { useServer } from '../support/use-server'
import { createTeamWorld, type TeamPerson } from '../support/team'

const server = useServer({ application: 'author' })
let owner: TeamPerson
let member: TeamPerson
let outsider: TeamPerson
let papers: ReturnType<typeof createPapers>

beforeAll(async () => {
  ;({ owner, member, outsider } = await createTeamWorld(server).team())
  papers = createPapers(server)
}, 600_000)

async function tokenOf({ browser }: TeamPerson, scopes: string[] = ['mcp:read']): Promise<string> {
  const answer = await browser.post('/_fw/tokens', { json: { name: 'Host', scopes, expiresInDays: 30 } })
  expect(answer.status).toBe(201)
  return (await answer.json()).token
}

const hostOf = async (who: TeamPerson) => connectHost(server.origin, await tokenOf(who))

describe('Files as MCP resources', () => {
  it('lists the URI template of files for hosts of both revisions and in the catalog', async () => {
    const token = await tokenOf(owner)
    const uriTemplate = `${server.origin}/_fw/files/{collection}/{row}/{file}`
    for (const host of [await connectHost(server.origin, token), await connectEarlierHost(server.origin, token)]) {
      const { resourceTemplates } = await host.listResourceTemplates()
      expect(resourceTemplates).toContainEqual(expect.objectContaining({ uriTemplate, name: 'files' }))
    }
    const { resources } = await (await owner.browser.get('/_fw/mcp/catalog')).json()
    expect(resources).toContainEqual(expect.objectContaining({ uri: uriTemplate, scope: 'mcp:read' }))
  })

  it('returns the file at the URL of a tool result, text as text and other bytes as base64', async () => {
    const { id } = await papers.aPaper(owner, PDF, [PNG, 'Grüße', '{"a":1}'])
    const token = await tokenOf(owner)
    const host = await connectHost(server.origin, token)
    const listed = await host.callTool({ name: 'list-paper-list', arguments: {} })
    const { items } = listed.structuredContent as { items: { id: string; contract: File; attachments: File[] }[] }
    const paper = items.find(item => item.id === id)!
    const read = async ({ url: uri }: File) => (await host.readResource({ uri })).contents
    const [png, text, json] = paper.attachments as [File, File, File]
    expect(await read(paper.contract)).toEqual([
      { uri: paper.contract.url, mimeType: 'application/pdf', blob: PDF.toString('base64') },
    ])
    expect(await read(png)).toEqual([{ uri: png.url, mimeType: 'image/png', blob: PNG.toString('base64') }])
    expect(await read(text)).toEqual([{ uri: text.url, mimeType: 'text/plain', text: 'Grüße' }])
    expect(await read(json)).toMatchObject([{ text: '{"a":1}' }])

    const whole = server.origin + text.url
    const earlier = await connectEarlierHost(server.origin, token)
    expect((await earlier.readResource({ uri: whole })).contents).toEqual([
      { uri: whole, mimeType: 'text/plain', text: 'Grüße' },
    ])
  })

  it('checks the policy of the row on each request and returns the same error for unavailable files', async () => {
    const { id, url, file } = await papers.aPaper(owner)
    const other = await papers.aPaper(owner)
    const [mine, theirs, foreign] = [await hostOf(owner), await hostOf(member), await hostOf(outsider)]
    expect((await mine.readResource({ uri: url })).contents).toHaveLength(1)
    const refused = (host: typeof mine, uri: string) =>
      host.readResource({ uri }).then(
        () => null,
        ({ code, message, data }) => ({ code, message: message.replace(uri, '…'), data }),
      )
    const missing = `/_fw/files/paper-list/${id}/none`
    const answer = await refused(mine, missing)
    expect(answer).toMatchObject({ code: -32_602, data: { uri: missing } })
    for (const [host, uri] of [
      [theirs, url],
      [foreign, url],
      [mine, `/_fw/files/paper-list/none/${file.id}`],
      [mine, `/_fw/files/paper-list/${id}/${other.file.id}`],
      [mine, `/_fw/files/berth-list/1/${file.id}`],
      [mine, `/_fw/files/nothing/${id}/${file.id}`],
      [mine, `https://elsewhere.example${url}`],
      [mine, `${url}?download`],
    ] as const)
      expect(await refused(host, uri), uri).toEqual({ ...answer, data: { uri } })

    await query(server, 'update papers set created_by = ? where id = ?', [member.email, id])
    expect((await theirs.readResource({ uri: url })).contents).toHaveLength(1)
  })

  it('returns an error for a file above the message limit of 5 MiB', async () => {
    const { id, url } = await papers.aPaper(owner)
    await query(server, 'update fw_files set size = ? where row_id = ?', [5 * 1024 * 1024 + 1, id])
    await expect((await hostOf(owner)).readResource({ uri: url })).rejects.toThrow(
      'It has 5242881 bytes, and at most 5242880 can be read here.',
    )
  })

  it('requires mcp:read', async () => {
    const { url } = await papers.aPaper(owner)
    const host = await connectHost(server.origin, await tokenOf(owner, ['mcp:write']))
    expect((await host.listResourceTemplates()).resourceTemplates).toEqual([])
    await expect(host.readResource({ uri: url })).rejects.toThrow(/mcp:read|insufficient/)
  })
})

interface File {
  url: string
}

import { describe, expect, it } from 'vitest'
import { aiCatalog, serverCard } from '#fairway/server/domains/mcp/server-card'
import { useServer } from '../../../support/use-server'

const server = useServer()
const about = {
  name: 'Zoë & Söhne',
  baseUrl: 'https://desk.example.com',
  identity: { appId: 'desk' },
  mcp: { about: {} },
}

describe('the documents that lead to /mcp', () => {
  it.each([
    ['/mcp/server-card', 'application/mcp-server-card+json'],
    ['/.well-known/ai-catalog.json', 'application/ai-catalog+json'],
  ])('%s is open to every origin, cached for an hour, and unchanged for its ETag', async (path, type) => {
    const answer = await fetch(server.origin + path, { headers: { origin: 'https://other.example' } })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type])
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('cache-control')).toBe('public, max-age=3600')
    const etag = answer.headers.get('etag') ?? ''
    const again = await fetch(server.origin + path, { headers: { 'if-none-match': etag } })
    expect([again.status, await again.text()]).toEqual([304, ''])
    expect(JSON.stringify(await answer.json())).toContain(`${server.origin}/mcp`)
  })

  it('name the product by the host in reverse, its revisions, and no tool', () => {
    expect(serverCard(about)).toEqual({
      $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
      name: 'com.example.desk/desk',
      version: '1.0.0',
      title: 'Zoë & Söhne',
      description: 'The tools of Zoë & Söhne.',
      websiteUrl: 'https://desk.example.com',
      icons: [expect.objectContaining({ src: 'https://desk.example.com/favicon.svg' })],
      remotes: [
        {
          type: 'streamable-http',
          url: 'https://desk.example.com/mcp',
          supportedProtocolVersions: [
            '2026-07-28',
            '2025-11-25',
            '2025-06-18',
            '2025-03-26',
            '2024-11-05',
            '2024-10-07',
          ],
        },
      ],
    })
    expect(serverCard({ ...about, mcp: { about: { description: 'Deals of your team.' } } })).toMatchObject({
      description: 'Deals of your team.',
    })
  })

  it('have one entry in the catalog, which leads to the server card', () => {
    expect(aiCatalog(about)).toEqual({
      specVersion: '1.0',
      entries: [
        {
          identifier: 'urn:air:desk.example.com:mcp:desk',
          type: 'application/mcp-server-card+json',
          url: 'https://desk.example.com/mcp/server-card',
        },
      ],
    })
  })
})

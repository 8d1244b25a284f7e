import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineAction } from '#fw'
import { answerTokenRequest, listGrants } from '#fairway/server/domains/oauth-server'
import type { Session } from '#fairway/shared/schemas/session'
import { backgroundDone } from '#fairway/server/kernel/background'
import { type McpApplication, startMcpApplication } from '../../../fixtures/mcp/application'
import { connectHost } from '../../../support/mcp'
import { aMember } from '../../../support/members'
import { approve, renewal } from '../../../support/oauth-grant'

let dropped = 0
let written = 0
const input = z.object({})
const actions = {
  'drop-note': defineAction({ description: 'Drops.', destructive: true, input, run: () => ({ dropped: ++dropped }) }),
  'write-note': defineAction({ description: 'Writes.', input, run: () => ({ written: ++written }) }),
}

let application: McpApplication
let ada: Session
beforeAll(async () => {
  application = await startMcpApplication({
    declared: {
      actions: Object.entries(actions).map(([name, action]) => ({ name, group: 'test', action })),
      resources: [],
      prompts: [],
      apps: [],
    },
  })
  ada = await aMember(application.app, { name: 'Ada' })
})
afterAll(() => application.close())

const tokensOf = async (mayDelete: boolean) =>
  answerTokenRequest(application.app, { form: await approve(application.app, ada, { mayDelete, asksFirst: false }) })
const toolsOf = async (token: string) => {
  const { tools } = await (await connectHost(application.origin, token)).listTools()
  return tools.map(({ name }) => name)
}

describe('deletion permission of a connected app', () => {
  it('hides and rejects destructive tools when it was not granted, and allows the others', async () => {
    const { access_token: token } = await tokensOf(false)
    expect(await toolsOf(token)).toEqual(['write-note'])
    const host = await connectHost(application.origin, token)
    const refused = await host.callTool({ name: 'drop-note', arguments: {} })
    expect(refused).toMatchObject({ isError: true, _meta: { 'fairway/error': { code: 'deletion-not-allowed' } } })
    expect(JSON.stringify(refused.content)).toContain('connect it once more')
    expect(await host.callTool({ name: 'write-note', arguments: {} })).not.toHaveProperty('isError', true)
    expect([dropped, written]).toEqual([0, 1])
  })

  it('stays denied after a token refresh', async () => {
    const { refresh_token: refreshToken } = await tokensOf(false)
    const { access_token: token } = await answerTokenRequest(application.app, { form: renewal(refreshToken) })
    expect(await toolsOf(token)).toEqual(['write-note'])
  })

  it('allows destructive tools when it was granted without questions', async () => {
    const { access_token: token } = await tokensOf(true)
    expect(await toolsOf(token)).toEqual(['drop-note', 'write-note'])
    await (await connectHost(application.origin, token)).callTool({ name: 'drop-note', arguments: {} })
    expect(dropped).toBe(1)
  })

  it('is shown in the list of connected apps', async () => {
    await backgroundDone(application.app)
    const words = (await listGrants(application.app, ada)).flatMap(({ scopes }) =>
      scopes.filter(({ scope }) => scope === 'mcp:write').map(({ description }) => description),
    )
    expect(new Set(words)).toEqual(
      new Set(['Create and edit on your behalf, without deleting', 'Create, edit and delete on your behalf']),
    )
  })
})

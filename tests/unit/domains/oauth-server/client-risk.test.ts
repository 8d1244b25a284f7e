import { describe, expect, it } from 'vitest'
import { riskOf } from '#fairway/server/domains/oauth-server/authorize/client-risk'

const LOOPBACK = 'http://127.0.0.1:51234/callback'

const risk = (name: string | null, redirectUri: string, host: string | null = null) =>
  riskOf(
    {
      id: 'client',
      name,
      source: host === null ? 'registered' : 'document',
      host,
      redirectUris: [redirectUri],
      applicationType: 'native',
      renews: false,
    },
    redirectUri,
    'Fairway',
  )

describe('riskOf', () => {
  it.each([
    ['Claude Code', LOOPBACK, null],
    ['Terminal host', 'http://localhost/callback', null],
    [null, LOOPBACK, null],
    ['Claude', 'https://claude.ai/api/mcp/auth_callback', null],
    ['ChatGPT', 'https://chatgpt.com/connector_platform_oauth_redirect', null],
    ['Acme Notes', 'https://notes.acme.co.uk/callback', null],
    ['Any name', 'https://host.example/callback', 'host.example'],
    ['Any name', 'https://login.host.example/callback', 'host.example'],
    ['Any name', LOOPBACK, 'host.example'],
    ['Клиент', LOOPBACK, null],
  ])('returns no warning for %j at %s of %j', (name, redirectUri, host) => {
    expect(risk(name, redirectUri, host)).toBeUndefined()
  })

  it.each([
    ['CIaude', LOOPBACK],
    ['C1aude', LOOPBACK],
    ['Сlaude', LOOPBACK],
    ['Fairway', LOOPBACK],
    ['FAIR-WAY', 'https://fairway.example/callback'],
    ['0penAI', 'https://openai.com/callback'],
  ])('returns look-alike for %j at %s', (name, redirectUri) => {
    expect(risk(name, redirectUri)).toBe('look-alike')
  })

  it.each([
    ['Claude', 'https://claude.example.com/callback', null],
    ['Claude', 'https://evil.example/claude', null],
    [null, 'https://evil.example/callback', null],
    ['Any name', 'https://evil.example/callback', 'host.example'],
    ['Any name', 'https://evilhost.example/callback', 'host.example'],
  ])('returns elsewhere for %j at %s', (name, redirectUri, host) => {
    expect(risk(name, redirectUri, host)).toBe('elsewhere')
  })

  it('returns private-use for a custom URL scheme', () => {
    expect(risk('Cursor', 'cursor://anysphere.cursor-mcp/oauth/callback')).toBe('private-use')
  })
})

import { describe, expect, it } from 'vitest'
import { compareWith } from '#fairway/cli/hosts/check-hosts'
import { RECORDED_HOST_IDS } from '#fairway/cli/names'
import { fw } from '../../../support/fw'

describe('fw hosts', () => {
  it('returns 0 for the sample, whose tools all arrive', async () => {
    const { code, out, err } = await fw(['hosts'])
    expect([code, err]).toEqual([0, ''])
    expect(out).toMatch(/^21 tools, 1 with a page, [\d,]+ bytes, as \/mcp lists them\.\n/)
    expect(out).toMatch(/\nCodex +0\.171\.0 +2026-11-30 +21 of 21\n/)
    expect(out).toMatch(/\n\nAll tools arrive in all 7 hosts\.\n$/)
  })

  it('shows everything that one host does, with the source', async () => {
    const { code, out } = await fw(['hosts', 'codex'])
    expect(code).toBe(0)
    expect(out).toContain(
      '– Codex asks before each call of 2 tools: the tool is `destructive`.\n    delete-note; purge-archive\n',
    )
    expect(out).toContain('    recorded 2026-10-02: `openai/codex` at `ca466061`')
    expect(out).toMatch(/\nAll tools arrive in Codex\.\n$/)
  })

  it('returns 2 for an unknown host', async () => {
    const { code, err } = await fw(['hosts', 'copilott'])
    expect([code, err]).toEqual([2, expect.stringContaining('There is no host copilott. Did you mean copilot?')])
  })
})

describe('the comparison with hosts', () => {
  const object = { type: 'object' as const }
  const long = `add-${'x'.repeat(61)}`
  const tools = [
    { name: 'add-size', inputSchema: { ...object, properties: { größe: { type: 'number' } } } },
    { name: long, inputSchema: object },
  ]
  const app = { server: 'shop', title: 'Shop', tools }

  it('names each tool that a host refuses or hides, with the reason and the fix', () => {
    const { isGood, text } = compareWith(RECORDED_HOST_IDS, app)
    expect(isGood).toBe(false)
    expect(text).toMatch(/\nClaude Code +2\.1\.330 +2026-11-30 +1 of 2\nClaude \(web.* 0 of 2\nChatGPT.* 2 of 2\n/)
    expect(text).toContain('    add-size: the field “größe”\n    → Rename the field')
    expect(text).toContain(`✗ Claude (web, desktop, phone) refuses all tools: one name is longer than 64 characters`)
    expect(text).toContain(`    ${long}: 65 characters\n`)
    expect(text).toMatch(/\n\n2 hosts keep tools away\.$/)
  })

  it('has the same as JSON', () => {
    expect(compareWith(['claude'], app).summary).toMatchObject({
      status: 'failed',
      tools: 2,
      hosts: [{ host: 'claude', arrive: 0, findings: [{ effect: 'refuses', found: [{ tool: long }] }] }],
    })
  })

  it('passes with texts that a host cuts', () => {
    const described = [{ name: 'a', description: 'x'.repeat(5000), inputSchema: object }]
    const { isGood, text } = compareWith(['claude-code', 'codex'], { ...app, tools: described })
    expect(isGood).toBe(true)
    expect(text).toContain(
      '! Claude Code cuts 1 tool: the description ends after 4,096 characters.\n    a: 5000 characters\n',
    )
    expect(text).toMatch(/\n\nAll tools arrive in all 2 hosts\.$/)
  })
})

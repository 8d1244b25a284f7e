import { describe, expect, it } from 'vitest'
import { hostGuides, isLocalAddress, packageSteps, probeCommand } from '#fairway/app/connect/host-guides'
import { serverName, IS_PUBLISHED, PACKAGE_NAME, VERSION } from '#fairway/shared/package'
import { hosts, packageCommand } from '#fairway/cli/hosts/hosts'
import packageJson from '#fairway/package.json'

const url = 'https://app.example.com/mcp'
const guides = hostGuides(url, 'fairway')
const [file, write] = packageSteps(url, 'fairway')
const guide = (id: string) => guides.find(each => each.id === id)
const codes = (id: string) => guide(id)?.steps.flatMap(({ code }) => (code ? [code] : [])) ?? []

const linux = { platform: 'linux' as const, home: '/', env: {}, isThere: () => false }

describe('hostGuides', () => {
  it('includes the exact server URL in the code to copy', () => {
    for (const { id, steps } of guides) expect([id, steps.some(({ code }) => code?.includes(url))]).toEqual([id, true])
  })

  it('returns the commands of Claude Code and Codex', () => {
    expect(codes('claude-code')[0]).toBe(`claude mcp add --transport http fairway ${url}`)
    expect(codes('codex')).toEqual([`codex mcp add fairway --url ${url}`, 'codex mcp login fairway'])
  })

  it('returns the same configuration for Cursor and VS Code as the command line writes', () => {
    const machine = { ...linux, command: { command: 'node', args: [] } }
    expect(JSON.parse(codes('cursor')[0] ?? '')).toEqual(JSON.parse(hosts.cursor.set('', 'fairway', url, machine)))
    expect(JSON.parse(codes('vscode')[1] ?? '')).toEqual(JSON.parse(hosts.vscode.set('', 'fairway', url, machine)))
  })

  it('runs the package by its own name, because fw on npm is another package', () => {
    expect(JSON.stringify([file, write])).not.toMatch(/npx (-y )?(fw|fairway)\b/)
    const machine = { ...linux, command: packageCommand }
    const written = hosts['claude-desktop'].set('', 'fairway', url, machine)
    expect(JSON.parse(file?.code ?? '')).toEqual(JSON.parse(written))
    expect(write?.code).toMatch(/^npx nuxt-fairway connect /)
  })

  it('shows commands of the package only after it is published on npm', () => {
    expect(/npx|nuxt-fairway/.test(JSON.stringify([guides, probeCommand(url)]))).toBe(IS_PUBLISHED)
  })

  it('matches the name, version, binaries and publication state in package.json', () => {
    expect([PACKAGE_NAME, IS_PUBLISHED, VERSION]).toEqual([packageJson.name, !packageJson.private, packageJson.version])
    expect(Object.keys(packageJson.bin)).toEqual(['fw', PACKAGE_NAME])
  })

  it('links to Cursor and VS Code with the name and URL filled in', () => {
    const cursor = new URL(guide('cursor')?.link ?? '')
    expect(cursor.href).toMatch(/^cursor:\/\/anysphere\.cursor-deeplink\/mcp\/install\?/)
    expect(cursor.searchParams.get('name')).toBe('fairway')
    expect(JSON.parse(atob(cursor.searchParams.get('config') ?? ''))).toEqual({ url })
    const [scheme, config = ''] = (guide('vscode')?.link ?? '').split('?')
    expect(scheme).toBe('vscode:mcp/install')
    expect(JSON.parse(decodeURIComponent(config))).toEqual({ name: 'fairway', type: 'http', url })
  })
})

describe('serverName', () => {
  it.each([
    ['Fairway', 'fairway'],
    ['My App, 2', 'my-app-2'],
    ['日本', 'app'],
  ])('turns %s into %s', (product, name) => {
    expect(serverName(product)).toBe(name)
  })
})

describe('isLocalAddress', () => {
  it.each([
    ['https://app.example.com/mcp', false],
    ['http://localhost:3000/mcp', true],
    ['https://127.0.0.1/mcp', true],
  ])('returns for %s: %s', (address, isLocal) => {
    expect(isLocalAddress(address)).toBe(isLocal)
  })
})

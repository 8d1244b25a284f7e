import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readWorkspaceConfig } from '../../../src/program/workspace-config'

const hub = 'https://hub.example.com'
const notes = { id: 'notes', name: 'Notes', origin: 'https://notes.example.com' }

function read(content: unknown) {
  const file = join(mkdtempSync(join(tmpdir(), 'fw-workspace-')), 'workspace.json')
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return readWorkspaceConfig(file)
}

it('readWorkspaceConfig accepts a hub address with or without a trailing slash', async () => {
  for (const given of [hub, `${hub}/`])
    expect(await readWorkspaceConfig(given)).toEqual({ hub, apps: [], isDevelopment: false })
})

it('readWorkspaceConfig reads a hub and applications from a file and enables workspaceSso only for true', async () => {
  const apps = [notes, { ...notes, id: 'tasks', workspaceSso: true }, { ...notes, id: 'wiki', workspaceSso: false }]
  const common = { mode: 'production', isEnabled: true }
  expect(await read({ hub, apps })).toEqual({
    hub,
    isDevelopment: false,
    apps: [
      { ...notes, ...common },
      { ...notes, ...common, id: 'tasks', workspaceSso: true },
      { ...notes, ...common, id: 'wiki' },
    ],
  })
})

it('readWorkspaceConfig accepts http on this machine with a local hub and for applications in development', async () => {
  const local = { ...notes, origin: 'http://localhost:3000' }
  expect(await read({ hub: 'http://127.0.0.1:4000', apps: [local] })).toMatchObject({ isDevelopment: true })
  expect(await read({ hub, apps: [{ ...local, mode: 'development' }] })).toMatchObject({ isDevelopment: false })
  await expect(read({ hub, apps: [local] })).rejects.toThrow('apps.0.origin: must be an exact https origin')
})

it.each<[string, unknown, string]>([
  ['no hub', { apps: [] }, 'hub: '],
  ['a hub over http', { hub: 'http://hub.example.com' }, 'hub: must be an exact https origin'],
  ['an origin with a path', { hub, apps: [{ ...notes, origin: `${notes.origin}/app` }] }, 'apps.0.origin: must be'],
  ['one id twice', { hub, apps: [notes, notes] }, 'apps.1.id: notes is there twice'],
  ['an id that is a path', { hub, apps: [{ ...notes, id: '../notes' }] }, 'apps.0.id: '],
  ['a word for true', { hub, apps: [{ ...notes, workspaceSso: 'true' }] }, 'apps.0.workspaceSso: '],
  ['an unknown setting', { hub, cookies: 'all' }, 'cookies'],
  ['text that is not JSON', '{ hub', 'is not JSON'],
])('readWorkspaceConfig refuses %s and names its position', async (_title, content, message) => {
  const refusal = read(content)
  await expect(refusal).rejects.toThrow(message)
  await expect(refusal).rejects.toHaveProperty('name', 'ProgramFault')
})

it('readWorkspaceConfig reports all faults at once', async () => {
  const refusal = read({ hub: 'http://hub.example.com', apps: [{ ...notes, origin: 'http://x.example' }] })
  await expect(refusal).rejects.toThrow(/hub: .*\n.*apps\.0\.origin: /)
})

it('readWorkspaceConfig reports a missing file', async () => {
  await expect(readWorkspaceConfig('/nowhere/workspace.json')).rejects.toThrow('There is no workspace file')
})

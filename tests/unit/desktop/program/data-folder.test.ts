import { expect, it } from 'vitest'
import { dataFolder, workspaceFolderName } from '#fairway/desktop/program/places'

it.each<[string, NodeJS.Platform, Record<string, string>, string]>([
  ['Linux', 'linux', {}, '/home/ada/.local/share/fairway-desktop'],
  ['Linux with a data folder of its own', 'linux', { XDG_DATA_HOME: '/data' }, '/data/fairway-desktop'],
  ['Linux with one that does not count', 'linux', { XDG_DATA_HOME: 'data' }, '/home/ada/.local/share/fairway-desktop'],
  ['macOS', 'darwin', {}, '/home/ada/Library/Application Support/fairway-desktop'],
  ['Windows', 'win32', { LOCALAPPDATA: String.raw`C:\Local` }, String.raw`C:\Local\fairway-desktop`],
])('lies where %s keeps data of a person', (_title, platform, env, folder) => {
  expect(dataFolder({ platform, env, home: '/home/ada' })).toBe(folder)
})

it('has a folder for each hub, whose name is one on every system', () => {
  expect(workspaceFolderName('https://hub.example.com')).toBe('hub.example.com')
  expect(workspaceFolderName('https://hub.example.com:8443')).toBe('hub.example.com_8443')
  expect(workspaceFolderName('http://[::1]:3000')).toBe('http_1_3000')
})

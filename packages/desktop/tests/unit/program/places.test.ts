import { expect, it } from 'vitest'
import { findBrowser, type FindBrowserInput, dataFolder, workspaceFolderName } from '../../../src/program/places'

const on = (platform: NodeJS.Platform, there: string[], rest: Partial<FindBrowserInput> = {}) =>
  findBrowser({ platform, env: {}, home: '/home/ada', isThere: path => there.includes(path), ...rest })

it.each<[string, NodeJS.Platform, string, Record<string, string>]>([
  ['Chrome on Linux', 'linux', '/usr/bin/google-chrome', {}],
  ['Edge on Linux', 'linux', '/opt/microsoft/msedge/msedge', {}],
  ['Chromium as a snap', 'linux', '/snap/bin/chromium', {}],
  ['Chromium in a folder of PATH', 'linux', '/opt/own/chromium', { PATH: '/bin:/opt/own' }],
  ['Chrome on macOS', 'darwin', '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome', {}],
  [
    'Edge in a person’s own folder on macOS',
    'darwin',
    '/home/ada/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
    {},
  ],
  [
    'Chrome on Windows',
    'win32',
    String.raw`C:\Program Files\Google\Chrome\Application\chrome.exe`,
    { PROGRAMFILES: String.raw`C:\Program Files` },
  ],
  [
    'Chromium of one person on Windows',
    'win32',
    String.raw`C:\Users\ada\AppData\Local\Chromium\Application\chrome.exe`,
    { LOCALAPPDATA: String.raw`C:\Users\ada\AppData\Local` },
  ],
])('findBrowser finds %s', (_title, platform, path, env) => {
  expect(on(platform, [path], { env })).toEqual({ path })
})

it('findBrowser prefers Chrome to Edge and Edge to Chromium', () => {
  const all = ['/usr/bin/chromium', '/usr/bin/microsoft-edge', '/usr/bin/google-chrome']
  expect(on('linux', all)).toEqual({ path: '/usr/bin/google-chrome' })
  expect(on('linux', all.slice(0, 2))).toEqual({ path: '/usr/bin/microsoft-edge' })
})

it('findBrowser uses only the chosen browser, even when it is missing', () => {
  expect(on('linux', ['/usr/bin/chromium', '/opt/mine'], { chosen: '/opt/mine' })).toEqual({ path: '/opt/mine' })
  expect(on('linux', ['/usr/bin/chromium'], { chosen: '/opt/mine' })).toEqual({ lookedFor: ['/opt/mine'] })
})

it('findBrowser lists every place it searched when it finds none, and ignores relative paths', () => {
  const found = on('linux', [], { env: { PATH: 'bin::/usr/bin' } })
  expect(found).toMatchObject({ lookedFor: expect.arrayContaining(['/usr/bin/chromium', '/usr/bin/google-chrome']) })
  expect('lookedFor' in found && found.lookedFor.every(place => place.startsWith('/'))).toBe(true)
})

it.each<[string, NodeJS.Platform, Record<string, string>, string]>([
  ['Linux', 'linux', {}, '/home/ada/.local/share/fairway-desktop'],
  ['Linux with a data folder of its own', 'linux', { XDG_DATA_HOME: '/data' }, '/data/fairway-desktop'],
  ['Linux with one that does not count', 'linux', { XDG_DATA_HOME: 'data' }, '/home/ada/.local/share/fairway-desktop'],
  ['macOS', 'darwin', {}, '/home/ada/Library/Application Support/fairway-desktop'],
  ['Windows', 'win32', { LOCALAPPDATA: String.raw`C:\Local` }, String.raw`C:\Local\fairway-desktop`],
])('dataFolder returns the user data folder on %s', (_title, platform, env, folder) => {
  expect(dataFolder({ platform, env, home: '/home/ada' })).toBe(folder)
})

it('workspaceFolderName returns a folder name for each hub that is valid on every system', () => {
  expect(workspaceFolderName('https://hub.example.com')).toBe('hub.example.com')
  expect(workspaceFolderName('https://hub.example.com:8443')).toBe('hub.example.com_8443')
  expect(workspaceFolderName('http://[::1]:3000')).toBe('http_1_3000')
})

// Finds a browser on this computer, and the folder for the program's data.
import { posix, win32 } from 'node:path'

export interface FindBrowserInput {
  platform: NodeJS.Platform
  env: Readonly<Record<string, string | undefined>>
  home: string
  /** Whether this path is a program that may be started. */
  isThere(path: string): boolean
  /** A path that the person has chosen; no other path is checked then. */
  chosen?: string
}

type FoundBrowser = { path: string } | { path: undefined; lookedFor: string[] }

/** Returns the first Chrome, Edge or Chromium of this machine, or all checked paths when there is none. */
export function findBrowser(input: FindBrowserInput): FoundBrowser {
  const lookedFor = input.chosen ? [input.chosen] : placesOf(input)
  const path = lookedFor.find(place => input.isThere(place))
  return path === undefined ? { path, lookedFor } : { path }
}

function placesOf(input: FindBrowserInput): string[] {
  if (input.platform === 'darwin') return macPlaces(input)
  return input.platform === 'win32' ? windowsPlaces(input) : linuxPlaces(input)
}

const LINUX_NAMES = [
  'google-chrome-stable',
  'google-chrome',
  'microsoft-edge-stable',
  'microsoft-edge',
  'chromium',
  'chromium-browser',
]
const LINUX_FOLDERS = ['/usr/bin', '/usr/local/bin', '/snap/bin']
const LINUX_PATHS = ['/opt/google/chrome/chrome', '/opt/microsoft/msedge/msedge']

function linuxPlaces({ env }: FindBrowserInput): string[] {
  const folders = new Set([...(env.PATH ?? '').split(':').filter(folder => posix.isAbsolute(folder)), ...LINUX_FOLDERS])
  return [...LINUX_NAMES.flatMap(name => [...folders].map(folder => posix.join(folder, name))), ...LINUX_PATHS]
}

const MAC_NAMES = ['Google Chrome', 'Microsoft Edge', 'Chromium']

const macPlaces = ({ home }: FindBrowserInput): string[] =>
  MAC_NAMES.flatMap(name =>
    ['/Applications', posix.join(home, 'Applications')].map(folder =>
      posix.join(folder, `${name}.app`, 'Contents/MacOS', name),
    ),
  )

const WINDOWS_PATHS = [
  String.raw`Google\Chrome\Application\chrome.exe`,
  String.raw`Microsoft\Edge\Application\msedge.exe`,
  String.raw`Chromium\Application\chrome.exe`,
]

function windowsPlaces({ env }: FindBrowserInput): string[] {
  const roots = [env.PROGRAMFILES, env['PROGRAMFILES(X86)'], env.LOCALAPPDATA].filter(root => root !== undefined)
  return WINDOWS_PATHS.flatMap(path => roots.map(root => win32.join(root, path)))
}

interface DataFolderInput {
  platform: NodeJS.Platform
  env: Readonly<Record<string, string | undefined>>
  home: string
}

const NAME = 'fairway-desktop'

/** The folder for all data of this person, by the convention of their system. */
export function dataFolder({ platform, env, home }: DataFolderInput): string {
  if (platform === 'win32') return win32.join(env.LOCALAPPDATA || win32.join(home, 'AppData', 'Local'), NAME)
  if (platform === 'darwin') return posix.join(home, 'Library', 'Application Support', NAME)
  // The XDG standard requires that a relative path is ignored.
  const dataHome = env.XDG_DATA_HOME && posix.isAbsolute(env.XDG_DATA_HOME) ? env.XDG_DATA_HOME : undefined
  return posix.join(dataHome ?? posix.join(home, '.local', 'share'), NAME)
}

/** The subfolder of one workspace: two hubs share no cookies and no windows. */
export const workspaceFolderName = (hub: string): string =>
  hub.replace(/^https:\/\//, '').replaceAll(/[^a-z0-9.-]+/g, '_')

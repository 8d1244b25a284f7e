import { posix, win32 } from 'node:path'

interface DataFolderInput {
  platform: NodeJS.Platform
  env: Readonly<Record<string, string | undefined>>
  home: string
}

const NAME = 'fairway-desktop'

/** Where the program keeps everything of this person, as their system has it. */
export function dataFolder({ platform, env, home }: DataFolderInput): string {
  if (platform === 'win32') return win32.join(env.LOCALAPPDATA || win32.join(home, 'AppData', 'Local'), NAME)
  if (platform === 'darwin') return posix.join(home, 'Library', 'Application Support', NAME)
  // The standard says that a path that is not absolute is to be ignored.
  const given = env.XDG_DATA_HOME && posix.isAbsolute(env.XDG_DATA_HOME) ? env.XDG_DATA_HOME : undefined
  return posix.join(given ?? posix.join(home, '.local', 'share'), NAME)
}

/** The folder of one workspace in it: two hubs share no cookies and no windows. */
export const workspaceFolderName = (hub: string): string =>
  hub.replace(/^https:\/\//, '').replaceAll(/[^a-z0-9.-]+/g, '_')

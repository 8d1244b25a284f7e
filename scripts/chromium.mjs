import { existsSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'

/** Returns the path of the Chromium for tests, or undefined: CHROMIUM_PATH, else a headless shell, else a full browser. */
export function findChromium() {
  const found = [
    ...['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'].flatMap(onPath),
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    ...playwrightBrowsers(),
  ]
  return [process.env.CHROMIUM_PATH, ...found.filter(isHeadlessShell), ...found].find(path => path && existsSync(path))
}

/** Whether this is the path of a headless shell, which opens a page with a third of a full browser's work. */
export const isHeadlessShell = path => /headless[-_]shell/.test(path)

/** The paths that a program with this name can have on this machine. */
const onPath = name => (process.env.PATH ?? '').split(delimiter).map(folder => join(folder, name))

/** Flags for a headless Chromium that stays off the network and may run as root. */
export const chromiumFlags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]

function playwrightBrowsers() {
  const caches = [
    process.env.PLAYWRIGHT_BROWSERS_PATH,
    join(homedir(), '.cache/ms-playwright'),
    join(homedir(), 'Library/Caches/ms-playwright'),
  ]
  return caches
    .filter(cache => cache && existsSync(cache))
    .flatMap(cache =>
      readdirSync(cache)
        .filter(name => /^chromium(_headless_shell)?-/.test(name))
        .map(name => join(cache, name)),
    )
    .flatMap(folder => [
      ...['linux64', 'linux-arm64', 'mac-arm64', 'mac-x64'].map(machine =>
        join(folder, `chrome-headless-shell-${machine}/chrome-headless-shell`),
      ),
      join(folder, 'chrome-linux/chrome'),
      join(folder, 'chrome-linux64/chrome'),
      join(folder, 'chrome-mac/Chromium.app/Contents/MacOS/Chromium'),
    ])
}

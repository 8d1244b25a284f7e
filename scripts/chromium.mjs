import { existsSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/**
 * Returns the path of a Chromium on this machine, or undefined; checks CHROMIUM_PATH first, then the headless shell for tests.
 */
export function findChromium() {
  const known = [
    process.env.CHROMIUM_PATH,
    '/usr/bin/chromium-headless-shell',
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    ...playwrightBrowsers(),
  ]
  return known.find(path => path && existsSync(path))
}

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
      join(folder, 'chrome-headless-shell-linux64/chrome-headless-shell'),
      join(folder, 'chrome-headless-shell-mac-arm64/chrome-headless-shell'),
      join(folder, 'chrome-linux/chrome'),
      join(folder, 'chrome-linux64/chrome'),
      join(folder, 'chrome-mac/Chromium.app/Contents/MacOS/Chromium'),
    ])
}

import { existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openWorkspace } from '../../../src/program'

/** Starts the program on a computer that has never run it. */
function start(browser: string) {
  const home = mkdtempSync(join(tmpdir(), 'fw-desk-'))
  const opened = openWorkspace({
    browser,
    env: { HOME: home, XDG_DATA_HOME: home, LOCALAPPDATA: home },
    version: '1.2.3',
    language: 'en',
    direction: 'ltr',
    texts: key => key,
    openElsewhere: () => {},
    signal: new AbortController().signal,
    onStarted: () => {},
  })
  return { opened, home }
}

it('openWorkspace names the chosen browser when it is missing, and stores nothing', async () => {
  const { opened, home } = start('/nowhere/chrome')
  await expect(opened).rejects.toThrow('There is no browser that can be started at /nowhere/chrome')
  expect(existsSync(join(home, 'fairway-desktop'))).toBe(false)
})

it('openWorkspace asks for a workspace the first time', async () => {
  await expect(start(process.execPath).opened).rejects.toThrow('fw desktop --workspace')
})

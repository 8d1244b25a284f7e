import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFilePreferences } from '../../../src/program/chromium-host'
import { createWindowMemory, fitBounds } from '../../../src/program/window-memory'

const bounds = { left: 100, top: 50, width: 800, height: 600 }
const aFile = () => join(mkdtempSync(join(tmpdir(), 'fw-windows-')), 'preferences.json')

describe('createWindowMemory', () => {
  it('keeps open windows and bounds after a restart, next to other preferences in the file', async () => {
    const file = aFile()
    const preferences = createFilePreferences(file)
    await preferences.set('desktopSsoEnabled', false)
    const memory = await createWindowMemory(preferences)
    await memory.keepOpen(['mail', 'docs'])
    void memory.keepBounds('mail', bounds)
    await memory.written()
    const next = await createWindowMemory(createFilePreferences(file))
    expect(next.open()).toEqual(['mail', 'docs'])
    expect(next.bounds('mail')).toEqual(bounds)
    expect(next.bounds('docs')).toBeUndefined()
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ desktopSsoEnabled: false })
  })

  it.each([
    ['no JSON', '{ "windows": '],
    ['another shape', '{ "windows": { "open": "mail" } }'],
    [
      'a window of no size',
      '{ "windows": { "open": [], "bounds": { "mail": { "left": 0, "top": 0, "width": 0, "height": 0 } } } }',
    ],
  ])('treats a file with %s as empty', async (_title, text) => {
    const file = aFile()
    writeFileSync(file, text)
    const memory = await createWindowMemory(createFilePreferences(file))
    expect(memory.open()).toEqual([])
    expect(memory.bounds('mail')).toBeUndefined()
  })
})

describe('fitBounds', () => {
  const screen = { left: 0, top: 0, width: 1280, height: 800, isExtended: false }

  it('restores the last position when the window is visible there', () => {
    expect(fitBounds(bounds, screen)).toEqual(bounds)
    expect(fitBounds({ ...bounds, left: -700 }, screen)).toEqual({ ...bounds, left: -700 })
  })

  it('keeps only the size when the position is off screen', () => {
    for (const lost of [{ left: 1500 }, { left: -790 }, { top: 790 }, { top: -2000 }])
      expect(fitBounds({ ...bounds, ...lost }, screen)).toEqual({ width: 800, height: 600 })
  })

  it('keeps the position with several screens, because a page knows only one', () => {
    const away = { ...bounds, left: 2000 }
    expect(fitBounds(away, { ...screen, isExtended: true })).toEqual(away)
  })
})

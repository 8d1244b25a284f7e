import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PNG } from 'pngjs'
import { expect, it } from 'vitest'
import { compareScreenshots } from '../../../scripts/compare-screenshots.mjs'

/** A gray image whose first pixels are black. */
function picture(black: number, height = 50): Buffer {
  const png = new PNG({ width: 50, height })
  png.data.fill(200)
  for (let pixel = 0; pixel < black; pixel++) png.data.fill(0, pixel * 4, pixel * 4 + 3)
  return PNG.sync.write(png)
}

it('compareScreenshots reports new, missing and changed images and ignores a single changed pixel', () => {
  const dir = mkdtempSync(join(tmpdir(), 'fw-compare-'))
  const folder = (name: string, pictures: Record<string, Buffer>) => {
    mkdirSync(join(dir, name))
    for (const [file, bytes] of Object.entries(pictures)) writeFileSync(join(dir, name, `${file}.png`), bytes)
    return join(dir, name)
  }
  const before = folder('before', {
    same: picture(0),
    pixel: picture(0),
    moved: picture(0),
    longer: picture(0),
    gone: picture(0),
  })
  const after = folder('after', {
    same: picture(0),
    pixel: picture(1),
    moved: picture(250),
    longer: picture(0, 60),
    fresh: picture(0),
  })
  const found = compareScreenshots(before, after)
  expect(found.map(({ name, kind }) => `${kind} ${name}`)).toEqual([
    'new fresh.png',
    'gone gone.png',
    'changed longer.png',
    'changed moved.png',
  ])
  expect(found[3]?.part).toBeCloseTo(0.1, 2)
  const page = readFileSync(join(after, 'differences.html'), 'utf8')
  expect(page).toContain('4 pictures look otherwise')
  expect(page).toContain('differences/moved.png')
})

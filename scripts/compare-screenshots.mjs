// `npm run screenshots -- --compare`: shows the visible differences from the accepted pictures, side by side on one page.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pixelmatch from 'pixelmatch'
import { PNG } from 'pngjs'

/** A smaller changed part is the edge of a letter or a clock. */
const LEAST_PART = 0.0005

/**
 * Compares the pictures of two folders by name and writes the differences to `differences.html` in the second folder. Returns
 * them as { name, kind: 'new' | 'gone' | 'changed', part }, where `part` is the changed part of the picture (0 to 1).
 */
export function compareScreenshots(before, after) {
  const [were, are] = [before, after].map(picturesIn)
  const marks = join(after, 'differences')
  rmSync(marks, { recursive: true, force: true })
  mkdirSync(marks, { recursive: true })
  const found = [
    ...[...were].filter(name => !are.has(name)).map(name => ({ name, kind: 'gone', part: 1 })),
    ...[...are].filter(name => !were.has(name)).map(name => ({ name, kind: 'new', part: 1 })),
    ...[...are].filter(name => were.has(name)).map(name => ({ name, kind: 'changed', part: differ(name) })),
  ]
  const differences = found.filter(({ part }) => part >= LEAST_PART).toSorted((a, b) => (a.name < b.name ? -1 : 1))
  writeFileSync(join(after, 'differences.html'), overview(before, differences))
  return differences

  function differ(name) {
    const [one, other] = [before, after].map(folder => PNG.sync.read(readFileSync(join(folder, name))))
    const [width, height] = [Math.max(one.width, other.width), Math.max(one.height, other.height)]
    const mark = new PNG({ width, height })
    const pixels = pixelmatch(onCanvas(one, width, height), onCanvas(other, width, height), mark.data, width, height)
    if (pixels > 0) writeFileSync(join(marks, name), PNG.sync.write(mark))
    return pixels / (width * height)
  }
}

const picturesIn = folder =>
  new Set(existsSync(folder) ? readdirSync(folder).filter(name => name.endsWith('.png')) : [])

/** Draws the picture at the top left of an empty one of this size, because the size of a page can change. */
function onCanvas(picture, width, height) {
  if (picture.width === width && picture.height === height) return picture.data
  const canvas = new PNG({ width, height })
  PNG.bitblt(picture, canvas, 0, 0, picture.width, picture.height, 0, 0)
  return canvas.data
}

function overview(before, differences) {
  const picture = (src, words) =>
    `<figure><figcaption>${words}</figcaption><img src="${src}" alt="" loading="lazy"></figure>`
  const rows = differences.map(({ name, kind, part }) => {
    const was = kind === 'new' ? '' : picture(join('..', before, name), 'before')
    const is = kind === 'gone' ? '' : picture(name, 'now')
    const mark = kind === 'changed' ? picture(`differences/${name}`, `difference (${(part * 100).toFixed(2)} %)`) : ''
    return `<h2>${name} <small>${kind}</small></h2><div>${was}${is}${mark}</div>`
  })
  return `<!doctype html><meta charset="utf-8"><title>Screenshots that differ</title>
<style>body{font:15px system-ui;margin:24px}div{display:flex;gap:16px;align-items:start}figure{margin:0;flex:1;min-width:0}img{max-width:100%;border:1px solid #ccc}</style>
<h1>${differences.length === 0 ? 'Nothing looks otherwise' : `${differences.length} pictures look otherwise`}</h1>
${rows.join('\n')}
`
}

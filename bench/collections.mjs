// `npm run bench:collections`: pages of tables of three sizes, and a page against the bare driver. Ratios within one process, in turns.
import { writeFileSync } from 'node:fs'
import { loadServerCode } from '../scripts/load-server-code.mjs'
import { measure } from './collections/measure.mjs'
import { requestThrough } from './collections/request.mjs'

const SIZES = [1e3, 1e5, 1e6]
const [SMALL, MIDDLE] = SIZES
const LARGE = SIZES.at(-1)
const { openBed } = await loadServerCode('bench/collections/bed.ts')
const bed = await openBed(SIZES)
const rows = []
const note = (what, value, wanted = '') => {
  rows.push([what, value, wanted])
  console.log(`${value.toFixed(2).padStart(9)}  ${what}${wanted ? `  (wanted ${wanted})` : ''}`)
}

const page = path => async () => {
  const { status, body } = await requestThrough(bed.listener, path)
  if (status !== 200) throw new Error(`${path}: ${status} ${body}`)
  return body
}

/** The same after a write of another connection, which is not measured. */
const afterWrite = path => Object.assign(page(path), { before: bed.write })

/** Pages that nobody has asked for before: the rows behind another id each time. */
function newPages(path, from) {
  let at = 0
  return () => page(`${path}?id[gt]=${from + at++}`)()
}

/** Where the pages of one table begin. */
const places = size => ({
  'cursor, start': `/cursor-${size}`,
  'cursor, middle': `/cursor-${size}?id[gt]=${size / 2}`,
  'cursor, end': `/cursor-${size}?id[gt]=${size - 30}`,
  'cursor, back from the end': `/cursor-${size}?id[lt]=${size - 30}`,
  'cursor of two columns, start': `/taken-${size}`,
  'partial, start': `/partial-${size}`,
  'partial, middle': `/partial-${size}?page=${Math.ceil(size / 60)}`,
  'partial, end': `/partial-${size}?page=${Math.ceil(size / 30)}`,
})

for (const place of Object.keys(places(SMALL))) {
  const cases = Object.fromEntries(SIZES.map(size => [size, page(places(size)[place])]))
  const measured = await measure(cases)
  for (const size of SIZES.slice(1))
    note(`${place}: ${size} rows ÷ ${SMALL} rows`, measured.ratio(size, SMALL), '≤ 1.5')
}

const whole = await measure({
  limit: async () => bed.limit(),
  bare: page('/limit'),
  cursor: page(`/cursor-${SMALL}`),
  partial: page(`/partial-${SMALL}`),
  full: page(`/full-${SMALL}`),
  'new cursor': newPages(`/cursor-${MIDDLE}`, 1),
})
for (const kind of ['cursor', 'partial', 'full', 'new cursor']) {
  note(
    `a ${kind} page through the whole stack ÷ driver statement and JSON.stringify`,
    whole.ratio(kind, 'limit'),
    '≤ 2',
  )
  note(`the same ÷ a bare route that does both`, whole.ratio(kind, 'bare'))
}
console.log(whole.micros)

const lastPage = Math.ceil(LARGE / 30)
const full = await measure({
  first: page(`/full-${LARGE}`),
  second: page(`/full-${LARGE}?page=2`),
  last: page(`/full-${LARGE}?page=${lastPage}`),
  partial: page(`/partial-${LARGE}`),
})
note(`full, ${LARGE} rows: last page ÷ first page`, full.ratio('last', 'first'), '≤ 1.5')
note(`${LARGE} rows: page with a count ÷ page without`, full.ratio('first', 'partial'))
console.log(full.micros)

const written = await measure({
  page: afterWrite(`/partial-${LARGE}`),
  counted: afterWrite(`/full-${LARGE}`),
  kept: afterWrite(`/kept-${LARGE}`),
  'kept, end': afterWrite(`/kept-${LARGE}?page=${lastPage}`),
  'partial, middle': afterWrite(`/partial-${LARGE}?page=${Math.ceil(lastPage / 2)}`),
})
for (const [kind, wanted] of [['kept', '≤ 5'], ['counted'], ['kept, end', '≤ 5'], ['partial, middle']])
  note(`${LARGE} rows, after a write: ${kind} ÷ first page without a total`, written.ratio(kind, 'page'), wanted)
console.log(written.micros)

const small = await measure({
  short: page('/full-20'),
  partial: page('/partial-20'),
})
note(
  '20 rows: page that shows its own end, with its total ÷ page without a total',
  small.ratio('short', 'partial'),
  '≤ 1.1',
)

await bed.close()
writeFileSync(new URL('collections-result.json', import.meta.url), `${JSON.stringify({ rows }, null, 2)}\n`)

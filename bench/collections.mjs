// `npm run bench:collections`: measures pages of tables of three sizes, and a page against the bare driver, as ratios within one
// process, in turns. Writes its table in docs/performance.md.
import { loadServerCode } from '../scripts/load-server-code.mjs'
import { measure } from './collections/measure.mjs'
import { requestThrough } from './collections/request.mjs'
import { printRows, writeTables } from './tables.mjs'

const SIZES = [1e3, 1e5, 1e6]
const [SMALL, MIDDLE] = SIZES
const LARGE = SIZES.at(-1)
const { openBed } = await loadServerCode('bench/collections/bed.ts')
const bed = await openBed(SIZES)
const rows = []

/** Records the lowest and the highest of these ratios, and the upper limit. */
function note(what, ratios, most) {
  const shown = [Math.min(...ratios), Math.max(...ratios)].map(ratio => ratio.toFixed(ratio < 1 ? 2 : 1))
  const reached = `${[...new Set(shown)].join('–')} ×`
  const row = { what, reached, ...(most && { wanted: `≤ ${most}`, isMet: Math.max(...ratios) <= most }) }
  printRows([row])
  rows.push(row)
}

const page = path => async () => {
  const { status, body } = await requestThrough(bed.listener, path)
  if (status !== 200) throw new Error(`${path}: ${status} ${body}`)
  return body
}

/** The paths of each kind of page at several positions of a table. */
const places = {
  'cursor pages at the start, in the middle, at the end and back from it': [
    size => `/cursor-${size}`,
    size => `/cursor-${size}?id[gt]=${size / 2}`,
    size => `/cursor-${size}?id[gt]=${size - 30}`,
    size => `/cursor-${size}?id[lt]=${size - 30}`,
    size => `/taken-${size}`,
  ],
  'first pages without a count': [size => `/partial-${size}`],
}
for (const [what, paths] of Object.entries(places)) {
  const ratios = []
  for (const path of paths) {
    const { ratio } = await measure(Object.fromEntries(SIZES.map(size => [size, page(path(size))])))
    ratios.push(...SIZES.slice(1).map(size => ratio(size, SMALL)))
  }
  note(`${what}: 100,000 and 1,000,000 ÷ 1,000 rows`, ratios, 1.5)
}

const whole = await measure({
  limit: async () => bed.limit(),
  bare: page('/limit'),
  cursor: page(`/cursor-${MIDDLE}?id[gt]=100`),
})
note('cursor page ÷ the limit', [whole.ratio('cursor', 'limit')], 2)
note('the same ÷ a route of h3 that does the same as the limit', [whole.ratio('cursor', 'bare')])
console.log(whole.micros)

const lastPage = Math.ceil(LARGE / 30)
const large = await measure({
  page: page(`/partial-${LARGE}`),
  counted: page(`/full-${LARGE}`),
  kept: page(`/kept-${LARGE}`),
  last: page(`/kept-${LARGE}?page=${lastPage}`),
  middle: page(`/partial-${LARGE}?page=${Math.ceil(lastPage / 2)}`),
})
const ofPage = kind => [large.ratio(kind, 'page')]
note('1,000,000 rows, first page: its total kept by triggers ÷ a page without a total', ofPage('kept'), 5)
note('the same with a total that is counted', ofPage('counted'), 5)
note('last page, total kept ÷ the same', ofPage('last'), 5)
note('page in the middle ÷ the same', ofPage('middle'))
console.log(large.micros)

const small = await measure({ short: page('/full-20'), partial: page('/partial-20') })
note('20 rows: page that shows its own end, with its total ÷ one without', [small.ratio('short', 'partial')], 1.1)

await bed.close()

const { openPolicyBed } = await loadServerCode('bench/collections/policy-bed.ts')
const policyBed = await openPolicyBed()
const ruled = await measure(policyBed.pages)
note('30 of 10,000 rows with a policy ÷ without', [ruled.ratio('policy', 'plain')], 1.3)
note('the same with two references and a policy ÷ with two references', [ruled.ratio('both', 'references')], 1.3)
note('the same with two references and a policy ÷ with neither', [ruled.ratio('both', 'plain')])
console.log(ruled.micros)
await policyBed.close()
writeTables({ collections: rows })

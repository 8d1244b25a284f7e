import { readFileSync, writeFileSync } from 'node:fs'

const DOCUMENT = new URL('../docs/performance.md', import.meta.url)

/** Prints rows on the terminal; a row that misses its target begins with a cross. */
export function printRows(rows) {
  for (const { what, reached, wanted, isMet } of rows) {
    console.log(
      `${isMet === false ? '✗' : ' '} ${reached.padStart(12)}  ${what}${wanted ? `  (wanted ${wanted})` : ''}`,
    )
  }
}

/** Writes the rows of each part between its two comments in docs/performance.md. */
export function writeTables(measured) {
  let text = readFileSync(DOCUMENT, 'utf8')
  for (const [name, rows] of Object.entries(measured)) {
    const [begin, end] = [`<!-- measured: ${name} -->`, '<!-- end -->']
    const from = text.indexOf(begin)
    const to = text.indexOf(end, from)
    if (from < 0 || to < 0) throw new Error(`docs/performance.md has no place for ${name}`)
    const lines = rows.map(({ what, reached, wanted = '' }) => `| ${what} | ${reached} | ${wanted} |`)
    const table = ['| what | reached | wanted |', '| --- | --- | --- |', ...lines].join('\n')
    text = `${text.slice(0, from + begin.length)}\n\n${table}\n\n${text.slice(to)}`
  }
  writeFileSync(DOCUMENT, text)
}

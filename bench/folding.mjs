// `node bench/folding.mjs [--rows 100000] [--rounds 5]`: what a search and an order cost without case and marks, with and without
// the column of `foldedText`, as multiples of LIKE and of binary order in the same run.
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { load, openFreshApp } from '../tests/support/app-process.mjs'
import { median } from './built-server.mjs'

const WORDS = {
  English: 'Overview of contracts and orders for large customers in London Paris Budapest',
  German: 'Übersicht der Verträge und Bestellungen für Großkunden in Köln Lübeck Düsseldorf',
  Russian: 'Обзор договоров и заказов для крупных клиентов в Москве сегодня вечером',
}
const SOUGHT = { English: 'london paris 777', German: 'köln lübeck 777', Russian: 'москве сегодня 777' }

const titles = (words, rows) =>
  Array.from({ length: rows }, (_, row) => {
    const six = Array.from({ length: 6 }, (_, at) => words[(row * 7 + at * at * (1 + (row % 5))) % words.length])
    return `${six.join(' ')} ${row}`
  })

/** Measures each language in a table of its own: milliseconds of each statement, as medians of the rounds. */
export async function measureFolding({ rows, rounds }) {
  const { app, close } = await openFreshApp()
  const { containsSql, foldedSql, toSought } = await load('server/kernel/folding/fold-sql.ts')
  const { keepFolds } = await load('server/kernel/folding/keep-folds.ts')
  const measured = {}
  for (const [language, text] of Object.entries(WORDS)) {
    await app.db.client.batch([
      'drop table if exists bench_titles',
      'create table bench_titles (id integer primary key, org_id text, title text, body text, title_folded text_folded)',
      {
        sql: `insert into bench_titles (id, org_id, title, body) select key, 'org', value, hex(zeroblob(100)) from json_each(?)`,
        args: [JSON.stringify(titles(text.split(' '), rows))],
      },
    ])
    const filling = performance.now()
    await keepFolds(app)
    const fill = performance.now() - filling
    const sought = toSought(SOUGHT[language])
    const count = condition => `select count(*) from bench_titles where org_id = 'org' and ${condition}`
    const first = order => `select id from bench_titles where org_id = 'org' order by ${order}, id limit 30`
    const statements = {
      like: [count('title like ?'), [`%${SOUGHT[language]}%`]],
      'search, column': [count('instr(title_folded, ?) > 0'), [sought.folded]],
      'search, no column': [count(containsSql('title').join(' and ')), [sought.pattern, sought.folded]],
      binary: [first('title'), []],
      'order, column': [first('title_folded'), []],
      'order, no column': [first(foldedSql('title')), []],
    }
    const times = Object.fromEntries(Object.keys(statements).map(name => [name, []]))
    for (let round = 0; round < rounds; round++)
      for (const [name, [sql, args]] of Object.entries(statements)) {
        const start = performance.now()
        await app.db.readRows([{ sql, args }])
        times[name].push(performance.now() - start)
      }
    measured[language] = {
      fill,
      ...Object.fromEntries(Object.entries(times).map(([name, all]) => [name, median(all)])),
    }
  }
  await close()
  return measured
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: { rows: { type: 'string', default: '100000' }, rounds: { type: 'string', default: '5' } },
  })
  const measured = await measureFolding({ rows: Number(values.rows), rounds: Number(values.rounds) })
  for (const [language, ms] of Object.entries(measured)) {
    console.log(`${language}: filled in ${ms.fill.toFixed(0)} ms`)
    for (const [name, base] of Object.entries({ search: 'like', order: 'binary' }))
      for (const way of ['column', 'no column'])
        console.log(
          `  ${name}, ${way}: ${(ms[`${name}, ${way}`] / ms[base]).toFixed(1)} × ${base} (${ms[`${name}, ${way}`].toFixed(0)} ms, ${ms[base].toFixed(0)} ms)`,
        )
  }
}

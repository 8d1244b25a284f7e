// `node bench/hand-over.mjs [--rounds 5] [--rows 10000]`: measures the removal of a member who is responsible for rows in five
// tables, also as a multiple of the five bare updates in one transaction.
import { parseArgs } from 'node:util'
import { load, openFreshApp } from '../tests/support/app-process.mjs'
import { median } from './built-server.mjs'

const TABLES = ['companies', 'contacts', 'offers', 'visits', 'tasks']
const ORG = 'harbour'
const [ANN, BEN] = ['ann', 'ben'].map(id => ({ userId: id, email: `${id}@harbour.example` }))

/** Returns the milliseconds of a removal, and its multiple of the bare updates: medians of interleaved rounds. */
export async function measureHandOver({ rounds, rows }) {
  const { app, close } = await openFreshApp()
  const { removeMember } = await load('server/domains/organizations/index.ts')
  const { client } = app.db
  const run = (sql, args = []) => client.execute({ sql, args })
  const person = `insert into users (id, name, email, email_verified, kind, created_at, updated_at) values (?, ?, ?, 1, 'person', 0, 0)`
  for (const { userId, email } of [ANN, BEN]) await run(person, [userId, userId, email])
  await run(`insert into organizations (id, name, created_by, created_at) values (?, 'Harbour', 'ann', 0)`, [ORG])
  for (const table of TABLES) {
    await run(`create table ${table} (id integer primary key, org_id text not null, assignee text_person)`)
    await run(`create index ${table}_org on ${table} (org_id)`)
    await run(
      `insert into ${table} (org_id, assignee) with recursive n (i) as (select 1 union all select i + 1 from n where i < ?)
        select ?, ? from n`,
      [rows / TABLES.length, ORG, BEN.email],
    )
  }
  const member = 'insert or ignore into org_members (org_id, user_id, role, joined_at) values (?, ?, ?, 0)'
  await run(member, [ORG, ANN.userId, 'owner'])
  const give = email =>
    client.batch(
      TABLES.map(table => ({ sql: `update ${table} set assignee = ? where org_id = ?`, args: [email, ORG] })),
      'write',
    )
  const timed = async work => {
    const began = performance.now()
    await work()
    return performance.now() - began
  }
  const found = []
  for (let round = -1; round < rounds; round++) {
    await run(member, [ORG, BEN.userId, 'member'])
    await give(ANN.email)
    const bare = await timed(() => give(BEN.email))
    const removal = await timed(() => removeMember(app, { ...ANN, orgId: ORG, role: 'owner' }, BEN.email))
    const { rows: left } = await run(
      `select ${TABLES.map(table => `(select count(*) from ${table} where assignee = ?1)`).join(' + ')} as n`,
      [ANN.email],
    )
    if (left[0].n !== rows) throw new Error(`${left[0].n} rows were handed over`)
    // The first round warms up.
    if (round >= 0) found.push({ removal, times: removal / bare })
  }
  await close()
  return { ms: median(found.map(({ removal }) => removal)), times: median(found.map(({ times }) => times)) }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { rounds: { type: 'string', default: '5' }, rows: { type: 'string', default: '10000' } },
  })
  const { ms, times } = await measureHandOver({ rounds: Number(values.rounds), rows: Number(values.rows) })
  console.log(`${ms.toFixed(0)} ms ${times.toFixed(1)} × the bare updates`)
}

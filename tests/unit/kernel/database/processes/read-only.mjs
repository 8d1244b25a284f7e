// Opens a read-only file, sends the results of a write and of a read, and writes again after a message from the test.
import { hear, open } from './database.mjs'

if (process.getuid?.() === 0) process.setuid(65_534)
const db = await open(process.argv[2])
try {
  await db.client.execute("insert into rows (text) values ('never')")
  process.send('write done')
} catch ({ code, status }) {
  process.send(`write ${code} ${status} ${db.storageFault()}`)
}
const { rows } = await db.client.execute('select text from rows')
process.send(`read ${rows.map(row => row.text).join(' ')}`)
await hear()
await db.client.execute("insert into rows (text) values ('later')")
await db.ping()
process.send(`write done ${db.storageFault()}`)
await db.close()
process.disconnect()

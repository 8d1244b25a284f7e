// After a message from the test, takes the write lock, adds one row, and holds the lock for the given time.
import { setTimeout as sleep } from 'node:timers/promises'
import { hear, open } from './database.mjs'

const [url, milliseconds] = process.argv.slice(2)
const db = await open(url, { idleInMs: 60_000 })
process.send('ready')
await hear()
const transaction = await db.client.transaction('write')
await transaction.execute("insert into rows (text) values ('from the other process')")
process.send('locked')
await sleep(Number(milliseconds))
await transaction.commit()
process.send('released')
await db.close()
process.disconnect()

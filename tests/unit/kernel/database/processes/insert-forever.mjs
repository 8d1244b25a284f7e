// Adds rows with several concurrent writers until it is killed, and sends the number of each acknowledged row.
import { open } from './database.mjs'

const [url, first, writers = '1'] = process.argv.slice(2)
const db = await open(url)
const insert = number => ({ sql: 'insert into rows (id, text) values (?, ?)', args: [number, 'text'] })
let next = Number(first)

async function writeForever() {
  for (;;) {
    const number = next++
    if (number % 3 === 0) {
      const transaction = await db.client.transaction('write')
      await transaction.execute(insert(number))
      await transaction.commit()
    } else if (number % 3 === 1) {
      await db.client.execute(insert(number))
    } else {
      await db.client.batch([insert(number), 'delete from rows where id < 0'], 'write')
    }
    process.send(String(number))
  }
}

await Promise.all(Array.from({ length: Number(writers) }, writeForever))

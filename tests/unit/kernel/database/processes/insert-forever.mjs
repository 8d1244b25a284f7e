// Adds rows until it is killed, and tells the number of each row that was acknowledged.
import { open } from './database.mjs'

const [url, first] = process.argv.slice(2)
const db = await open(url)
for (let number = Number(first); ; number += 1) {
  if (number % 3 === 0) {
    const transaction = await db.client.transaction('write')
    await transaction.execute({ sql: 'insert into rows (id, text) values (?, ?)', args: [number, 'transaction'] })
    await transaction.commit()
  } else {
    await db.client.execute({ sql: 'insert into rows (id, text) values (?, ?)', args: [number, 'statement'] })
  }
  process.send(String(number))
}

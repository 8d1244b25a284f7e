// Adds one row for each message from the test, and confirms it with a message.
import { open } from './database.mjs'

const [url] = process.argv.slice(2)
const db = await open(url)
process.on('message', async text => {
  await db.client.execute({ sql: 'insert into rows (text) values (?)', args: [text] })
  process.send(`inserted ${text}`)
})
process.send('ready')

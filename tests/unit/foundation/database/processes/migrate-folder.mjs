// Opens a database and applies a folder of migrations when it is told to, and tells which were applied here.
import { hear, load, log, open } from './database.mjs'

const [url, folder] = process.argv.slice(2)
const { migrate } = await load('migrate')
const { readMigrationFolder } = await load('read-migration-folder')
process.send('ready')
await hear()
const db = await open(url)
const { applied } = await migrate(db, await readMigrationFolder(folder), log)
process.send(JSON.stringify(applied))
await db.close()
process.disconnect()

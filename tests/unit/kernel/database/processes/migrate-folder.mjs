// After a message, opens a database, applies one or two folders of migrations, and sends the names of those it applied.
import { hear, load, log, open } from './database.mjs'

const [url, folder, applicationFolder] = process.argv.slice(2)
const { migrateAll } = await load('migrate')
const { readMigrationFolder } = await load('migrations')
process.send('ready')
await hear()
const db = await open(url)
const platform = await readMigrationFolder(folder)
const application = applicationFolder ? await readMigrationFolder(applicationFolder) : []
const { applied } = await migrateAll(db, { platform, application }, log)
process.send(JSON.stringify(applied))
await db.close()
process.disconnect()

// Prints `begins`, then removes a member.
import { load, openApp } from '../../../support/app-process.mjs'

const [actor, email] = process.argv.slice(2)
const { removeMember } = await load('server/domains/organizations/index.ts')
const app = await openApp()
await app.db.client.execute('select 1')
process.stdout.write('begins\n')
await removeMember(app, JSON.parse(actor), email)
process.exit(0)

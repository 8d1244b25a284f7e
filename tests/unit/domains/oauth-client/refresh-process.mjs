// One instance of several: requests 50 tokens at once and prints the different ones.
import { load, openApp } from '../../../support/app-process.mjs'

const { getAccessToken } = await load('server/domains/oauth-client/index.ts')
const app = await openApp()
process.stdout.write('ready\n')
await new Promise(resolve => process.stdin.once('data', resolve))
const tokens = await Promise.all(Array.from({ length: 50 }, () => getAccessToken(app, 'ada', 'tracker')))
process.stdout.write(`${JSON.stringify([...new Set(tokens)])}\n`)
await app.db.close()
process.exit(0)

// `npm run dev`: the development server on the first free port from 3000 (`-- --port N`: from N), for this machine only
// unless --host is given.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createServer, isIPv4, isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'
import { devOptions } from './dev-options.mjs'

if (existsSync('.env')) process.loadEnvFile('.env')

const { port: wanted, host, fault } = devOptions(process.argv.slice(2), process.env)
if (fault) {
  console.error(`[dev] ${fault}`)
  process.exit(2)
}
const isLocal = ['localhost', '127.0.0.1', '::1'].includes(host)

const isFree = port =>
  new Promise(resolve => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, isLocal ? 'localhost' : host, () => probe.close(() => resolve(true)))
  })

async function firstFreePort() {
  for (let port = wanted; port < Math.min(wanted + 100, 65_536); port++) if (await isFree(port)) return port
  throw new Error(`no free port from ${wanted} on`)
}

const port = await firstFreePort()
if (port !== wanted) console.log(`[dev] port ${wanted} is taken, using ${port}`)
const env = { ...process.env, NODE_ENV: 'development', PORT: String(port), HOST: host }
env.FW_BASE_URL ??= `http://localhost:${port}`
if (!isLocal) {
  // A development account must never be offered to the network.
  env.FW_DISABLE_AUTO_DEV_ACCOUNT = '1'
  console.log(`[dev] listening on ${host}: the development account is switched off`)
  // What was asked for by name is no name that a stranger made.
  const own = Object.values(networkInterfaces()).flatMap(list => list.map(({ address }) => address))
  const names = /^[0.:]+$/.test(host) ? own.filter(isIPv4) : [isIPv6(host) ? `[${host}]` : host]
  env.FW_ALLOWED_HOSTS = [env.FW_ALLOWED_HOSTS, ...names].filter(Boolean).join(',')
}
console.log(`[dev] starting; open ${env.FW_BASE_URL}`)
const args = ['dev', '--port', String(port), '--host', host]
const child = spawn(process.execPath, ['node_modules/nuxt/bin/nuxt.mjs', ...args], { env, stdio: 'inherit' })
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)))

// Loaded before a built server, or into a worker of Vitest. Writes each distinct statement of a request to the file that
// TEST_STATEMENTS names at that time.
import { AsyncLocalStorage } from 'node:async_hooks'
import { appendFileSync } from 'node:fs'
import { Server } from 'node:http'
import { createRequire } from 'node:module'

const requests = new AsyncLocalStorage()
const known = new Set()

function note(sql) {
  const request = requests.getStore()
  const file = process.env.TEST_STATEMENTS
  if (!request || !file || known.has(sql)) return
  known.add(sql)
  appendFileSync(file, `${JSON.stringify({ request, sql })}\n`)
}

const { emit } = Server.prototype
Server.prototype.emit = function (name, ...args) {
  if (name !== 'request') return emit.call(this, name, ...args)
  const [{ method, url }] = args
  return requests.run(`${method} ${url.split('?')[0]}`, () => emit.call(this, name, ...args))
}

// Work that a timer starts does not belong to the request that set the timer: background jobs start this way.
const { setTimeout: wait } = globalThis
const outside = (call, ...rest) => wait((...args) => requests.exit(call, ...args), ...rest)
globalThis.setTimeout = Object.defineProperties(outside, Object.getOwnPropertyDescriptors(wait))

const require = createRequire(process.argv[1])
const { prototype } = require('libsql')
const { prepare } = prototype
prototype.prepare = function (sql) {
  const statement = prepare.call(this, sql)
  for (const name of ['all', 'run']) {
    const run = statement[name]
    statement[name] = function (...args) {
      note(sql)
      return run.apply(this, args)
    }
  }
  return statement
}

// Reads outside the event loop collect their rows first.
const COLLECTED = /^with fw_rows as materialized \(([^]*)\n\) select \* from fw_rows$/
const apart = require('libsql/promise').prototype
const prepareApart = apart.prepare
apart.prepare = async function (sql) {
  note(COLLECTED.exec(sql)?.[1] ?? sql)
  return prepareApart.call(this, sql)
}

// Measures how long an author waits: from the command to the first response, and from saving a file to its effect. It saves files
// of the sample and restores them. `node bench/dev-loop.mjs [port] [rounds]`; medians, on an otherwise idle machine.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { median } from './built-server.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const [port = '4400', rounds = '5'] = process.argv.slice(2)
const origin = `http://localhost:${port}`
const SETTLED_IN_MS = 2500
const LIMIT_IN_MS = 120_000

/** The saved files, and the requests that show each change; the response contains `mark` afterwards. */
const FILES = [
  {
    what: 'action',
    file: 'server/actions/notes/list-notes.ts',
    change: (source, mark) => source.replace(/description:\s*'/, found => `${found}${mark} `),
    path: '/_fw/openapi.json',
  },
  {
    what: 'collection',
    file: 'server/collections/note-list.ts',
    change: (source, mark) => source.replace(/description:\s*'/, found => `${found}${mark} `),
    path: '/_fw/openapi.json',
    isDone: waitsForRestart,
  },
  {
    what: 'table file',
    file: 'server/database/notes.ts',
    change: (source, mark) => `${source}\nprocess.env.BENCH_MARK = '${mark}'\n`,
    isDone: waitsForRestart,
  },
  {
    what: "platform's kernel file",
    file: 'layers/fairway/server/kernel/declaration.ts',
    change: (source, mark) => `${source}\nprocess.env.BENCH_MARK = '${mark}'\n`,
    isDone: waitsForRestart,
  },
  {
    what: 'page, as Vite serves it',
    file: 'app/pages/notes/index.vue',
    change: (source, mark) => source.replace('<template>', `<template>\n  <i hidden>${mark}</i>`),
    path: `/_nuxt/@fs${join(root, 'app/pages/notes/index.vue')}`,
  },
]

/** A server that was rebuilt from the saved files logs when it is ready. */
async function waitsForRestart({ written, before }) {
  return written().slice(before).includes('"message":"ready"')
}

const child = spawn(
  process.execPath,
  [join(root, 'node_modules/nuxt/bin/nuxt.mjs'), 'dev', '--no-fork', '--port', port],
  {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, NUXT_TELEMETRY_DISABLED: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  },
)
let output = ''
for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (output += chunk))
const sleep = ms => new Promise(resolve => setTimeout(resolve, ms))
const seconds = ms => `${(ms / 1000).toFixed(2)} s`

async function ask(path) {
  try {
    const answer = await fetch(origin + path, { headers: { accept: 'application/json' } })
    return { status: answer.status, text: await answer.text() }
  } catch (error) {
    return { status: 0, text: String(error) }
  }
}

async function until(isSo) {
  const begun = performance.now()
  while (!(await isSo())) {
    if (performance.now() - begun > LIMIT_IN_MS || child.exitCode !== null)
      throw new Error(`it did not answer:\n${output}`)
    await sleep(5)
  }
  return performance.now() - begun
}

/** Returns the user and system time of the development server so far, in ms. */
function cpuTime() {
  const [, rest = ''] = /\) (.*)/.exec(readFileSync(`/proc/${child.pid}/stat`, 'utf8')) ?? []
  const fields = rest.split(' ')
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / Number(execFileSync('getconf', ['CLK_TCK']))
}

async function save({ what, file, change, path, isDone }) {
  const source = readFileSync(join(root, file), 'utf8')
  const waits = []
  const work = []
  const lost = []
  try {
    for (let round = 0; round < Number(rounds); round++) {
      await sleep(SETTLED_IN_MS)
      const mark = `MARK${round}-${Date.now()}`
      const before = output.length
      const used = cpuTime()
      const asking = setInterval(async () => {
        const { status, text } = await ask('/_fw/health/ready')
        if (status !== 200) lost.push(status || text)
      }, 20)
      writeFileSync(join(root, file), change(source, mark))
      waits.push(
        await until(async () =>
          isDone ? await isDone({ written: () => output, before }) : (await ask(path)).text.includes(mark),
        ),
      )
      clearInterval(asking)
      work.push(cpuTime() - used)
    }
  } finally {
    writeFileSync(join(root, file), source)
  }
  console.log(
    `${what.padEnd(26)} ${seconds(median(waits))}  processor ${seconds(median(work))}  lost requests ${lost.length} ${[...new Set(lost)].join(', ')}`,
  )
}

try {
  const ready = await until(async () => (await ask('/_fw/health/ready')).status === 200)
  console.log(`ready                      ${seconds(ready)}  processor ${seconds(cpuTime())}`)
  for (const file of FILES) await save(file)
} finally {
  child.kill('SIGINT')
  await Promise.race([once(child, 'exit'), sleep(10_000)])
}

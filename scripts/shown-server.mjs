// The built server that screenshots are taken of: in development, with a database of its own.
import { spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { builtServer } from './sample.mjs'

/** Starts it and waits until it is ready: its origin, and its process. */
export async function startShownServer() {
  const port = await freePort()
  const origin = `http://localhost:${port}`
  const child = spawn('node', [builtServer], {
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'development',
      PORT: String(port),
      FW_BASE_URL: origin,
      FW_DATA_DIR: mkdtempSync(join(tmpdir(), 'fw-screenshots-')),
      FW_RATE_LIMITS: 'off',
      A2A_SECRET: 'Nd7wTq4KzV9mXc2RbL6pYh8GfJ3sUe5A',
      FW_IDENTITY_HUB_URL: 'https://hub.example.com',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  for (let attempt = 0; attempt < 200; attempt++) {
    const answered = await fetch(`${origin}/_fw/health/ready`).catch(() => undefined)
    if (answered?.ok) return { origin, child }
    await new Promise(resolve => setTimeout(resolve, 100))
  }
  child.kill('SIGTERM')
  throw new Error('the server was not ready in time')
}

function freePort() {
  return new Promise(resolve => {
    const probe = createServer().listen(0, () => {
      const { port } = probe.address()
      probe.close(() => resolve(port))
    })
  })
}

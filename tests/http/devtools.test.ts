import { execFileSync } from 'node:child_process'
import { dirname } from 'node:path'
import { expect, it } from 'vitest'
import { builtServer } from '../../scripts/sample.mjs'
import { useServer } from '../support/use-server'

const server = useServer({ env: { NODE_ENV: 'development' } })

it.each(['', '/requests', '/people', '/people/become'])('returns 404 for /_fw/devtools%s in a build', async path => {
  expect((await fetch(`${server.origin}/_fw/devtools${path}`)).status).toBe(404)
})

it.each([
  'devtools-recording',
  'fw_devtools_back',
  'Being looked up',
  'people/become',
  'What decided',
  'list-everyone',
])('contains no DevTools code in a build: %s', marker => {
  const files = () => execFileSync('grep', ['-rlF', marker, dirname(dirname(builtServer))]).toString()
  expect(files).toThrow()
})

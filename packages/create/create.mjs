#!/usr/bin/env node
// `npm create nuxt-fairway my-app` and `npx create-nuxt-fairway add`: the same commands as `fw new` and `fw add`, in one file.
const OLDEST_NODE = 24

if (Number(process.versions.node.split('.')[0]) < OLDEST_NODE) {
  console.error(`Fairway needs Node.js ${OLDEST_NODE} or newer; this is ${process.versions.node}. Install it.`)
  process.exit(1)
}
if (!process.stdout.isTTY && !process.env.FORCE_COLOR) process.env.NO_COLOR ??= '1'
const { create } = await import('./dist/create.mjs')
await create(process.argv.slice(2))

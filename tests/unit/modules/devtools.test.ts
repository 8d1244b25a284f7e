import { loadNuxt } from '@nuxt/kit'
import { expect, it } from 'vitest'
import { writeProject } from '../../support/author-project'

/** The DevTools parts of an author's application: the tabs, and the handlers and plugins from the DevTools folder. */
async function given(dev: boolean) {
  const project = writeProject()
  const overrides = { telemetry: false, logLevel: 'silent' as const, devtools: { enabled: false }, _prepare: true }
  const nuxt = await loadNuxt({ cwd: project.dir, dev, overrides })
  const tabs: { title: string; view: { src: string } }[] = []
  await Reflect.apply(nuxt.callHook, nuxt, ['devtools:customTabs', tabs])
  const { serverHandlers, nitro } = nuxt.options
  const files = [...serverHandlers.map(({ handler }) => String(handler)), ...(nitro.plugins ?? []).map(String)]
  await nuxt.close()
  project.remove()
  // Other modules add tabs too, for example the one for icons.
  return {
    tabs: tabs.filter(({ title }) => title === 'Fairway'),
    files: files.filter(file => file.includes('/server/devtools/')),
  }
}

it('the devtools module adds and serves its Nuxt DevTools tab in development', async () => {
  const { tabs, files } = await given(true)
  expect(tabs.map(({ view }) => view.src)).toEqual(['/_fw/devtools'])
  expect(new Set(files.map(file => file.split('/').at(-1)))).toEqual(new Set(['route', 'recorder']))
})

it('the devtools module adds no tab and no routes to a build', async () => {
  expect(await given(false)).toEqual({ tabs: [], files: [] })
})

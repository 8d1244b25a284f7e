import { defineCommand } from 'citty'
import { isWorkspaceSsoOn, setWorkspaceSso } from '../server/domains/oauth-server'
import type { App } from '../server/kernel/app-context'
import { withLocalApp } from './with-local-app'

const say = async (app: App): Promise<number> => {
  const { hub, client } = app.config.identity
  const isOn = await isWorkspaceSsoOn(app)
  process.stdout.write(`Desktop sign-in is ${isOn ? 'on' : 'off'}.\n`)
  if (hub) process.stdout.write(`This application is an identity hub of ${hub.apps.length} applications.\n`)
  else process.stdout.write('This application is no identity hub, so there is nothing to switch on.\n')
  if (client) process.stdout.write(`People sign in here through ${client.url}.\n`)
  return 0
}

const switchTo = (isOn: boolean) => () =>
  withLocalApp(async app => {
    await setWorkspaceSso(app, isOn, 'fw desktop')
    return say(app)
  })

/** Says how the switch of the hub stands. */
export const statusCommand = defineCommand({
  meta: { name: 'status', description: 'Say whether desktop applications may sign people in to this workspace.' },
  run: () => withLocalApp(say),
})
/** Turns it on. */
export const onCommand = defineCommand({
  meta: { name: 'on', description: 'Let desktop applications sign people in to this workspace.' },
  run: switchTo(true),
})
/** Turns it off. */
export const offCommand = defineCommand({
  meta: { name: 'off', description: 'End that; sign-ins that are under way end too.' },
  run: switchTo(false),
})

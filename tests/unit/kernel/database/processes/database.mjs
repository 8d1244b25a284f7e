import { load as loadModule } from '../../../../support/app-process.mjs'

/** Loads a module of the database folder, as the server does. */
export const load = name => loadModule(`server/kernel/database/${name}.ts`)

const { openDatabase } = await load('client')
const silent = () => {}

export const log = { debug: silent, info: silent, warn: silent, error: silent }

/** Opens the database at this address, as the server does. */
export const open = (url, limits) => openDatabase({ url, log, limits })

/** Resolves with the next message from the test. */
export const hear = () => new Promise(resolve => process.once('message', resolve))

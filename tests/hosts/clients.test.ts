import { clients } from './clients'
import { startMcpRemote } from './drivers/mcp-remote'
import { startMcporter } from './drivers/mcporter'
import { type ReleasedClient, runClient } from './drivers/run-client'
import { openAiSdk, openCurrentSdk, openEarlierSdk, startLibrary } from './drivers/sdk-client'
import { tryHosts } from './try-hosts'
import { builtWorld, type HostWorld } from './world'

type Start = (endpoint: string) => Promise<ReleasedClient> | ReleasedClient

const library =
  (open: Parameters<typeof startLibrary>[0]): Start =>
  endpoint =>
    startLibrary(open, 'A program', endpoint)

/** The driver of each client, by the name it is installed as. */
const drivers: Record<string, Start> = {
  'sdk-1.12': library(openEarlierSdk('sdk-1.12')),
  'sdk-1.20': library(openEarlierSdk('sdk-1.20')),
  'sdk-1.32': library(openEarlierSdk('sdk-1.32')),
  '@modelcontextprotocol/client': library(openCurrentSdk),
  '@ai-sdk/mcp': library(openAiSdk),
  'mcp-remote-0.1': endpoint => startMcpRemote('mcp-remote-0.1', endpoint),
  'mcp-remote': endpoint => startMcpRemote('mcp-remote', endpoint),
  mcporter: startMcporter,
}

const rows = clients.map(({ installedAs, ...host }) => ({
  ...host,
  start: async (world: HostWorld) => {
    const start = drivers[installedAs]
    if (!start) throw new Error(`nothing drives ${installedAs}`)
    return runClient(host, await start(world.endpoint), world)
  },
}))

tryHosts(rows, builtWorld)

import { tryHosts } from './try-hosts'
import { builtWorld } from './world'
import { clients } from './clients'
import { startMcporter } from './drivers/mcporter'
import { startMcpRemote } from './drivers/mcp-remote'
import { type ClientHabits, type ReleasedClient, runClient } from './drivers/run-client'
import { openAiSdk, openCurrentSdk, openEarlierSdk, startLibrary } from './drivers/sdk-client'

type Start = (endpoint: string) => Promise<ReleasedClient> | ReleasedClient

const library =
  (open: Parameters<typeof startLibrary>[0]): Start =>
  endpoint =>
    startLibrary(open, 'A program', endpoint)

/** How each client is driven, by the name it is installed as, and whether it asks for more when a scope is missing. */
const drivers: Record<string, ClientHabits & { start: Start }> = {
  'sdk-1.12': { start: library(openEarlierSdk('sdk-1.12')), asksForMore: false },
  'sdk-1.20': { start: library(openEarlierSdk('sdk-1.20')), asksForMore: false },
  'sdk-1.32': { start: library(openEarlierSdk('sdk-1.32')), asksForMore: true },
  '@modelcontextprotocol/client': { start: library(openCurrentSdk), asksForMore: true },
  '@ai-sdk/mcp': { start: library(openAiSdk), asksForMore: false },
  'mcp-remote-0.1': { start: endpoint => startMcpRemote('mcp-remote-0.1', endpoint), asksForMore: false },
  'mcp-remote': { start: endpoint => startMcpRemote('mcp-remote', endpoint), asksForMore: true },
  mcporter: { start: startMcporter, asksForMore: false },
}

const rows = clients.map(({ installedAs, ...host }) => ({
  ...host,
  start: async (world: { endpoint: string } & Parameters<typeof runClient>[3]) => {
    const driver = drivers[installedAs]
    if (!driver) throw new Error(`nothing drives ${installedAs}`)
    return runClient(host, await driver.start(world.endpoint), driver, world)
  },
}))

tryHosts(rows, builtWorld)

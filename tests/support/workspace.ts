import { borrowServer, freePort, type TestServer } from './server'

/** The secret that all applications of the workspace share. */
export const WORKSPACE_SECRET = 'Nd7wTq4KzV9mXc2RbL6pYh8GfJ3sUe5A'

export interface WorkspaceApp {
  id: string
  server: TestServer
  origin: string
  /** The callback address registered at the hub. */
  callbackUrl: string
}

export interface Workspace {
  hub: TestServer
  apps: WorkspaceApp[]
  /** The application with this id. */
  app(id: string): WorkspaceApp
  stop(): Promise<void>
}

interface WorkspaceInput {
  /** The applications that use the hub and are registered there. Each has its own host. */
  ids?: string[]
  hubEnv?: Record<string, string>
  appEnv?: Record<string, string>
  /** Settings of single applications by id; undefined removes a setting. */
  envOf?: Record<string, Record<string, string | undefined>>
}

const CALLBACK_PATH = '/_fw/identity/callback'

/** The ports of each kind of workspace in this process. The same ports mean the same servers, so they start only once. */
const knownPorts = new Map<string, Promise<number[]>>()

function portsFor(key: string, count: number): Promise<number[]> {
  const ports = knownPorts.get(key) ?? Promise.all(Array.from({ length: count }, () => freePort()))
  knownPorts.set(key, ports)
  return ports
}

/** Starts a hub and applications that sign people in through it: real servers, each with its own database and origin. */
export async function startWorkspace(input: WorkspaceInput = {}): Promise<Workspace> {
  const { ids = ['mail', 'docs'], hubEnv = {}, appEnv = {}, envOf = {} } = input
  const hosts = ids.map((_id, index) => `127.0.0.${index + 3}`)
  const [hubPort, ...ports] = await portsFor(JSON.stringify(input), ids.length + 1)
  const origins = ids.map((_id, index) => `http://${hosts[index]}:${ports[index]}`)
  const hub = await borrowServer({
    host: '127.0.0.2',
    env: {
      PORT: String(hubPort),
      FW_APP_ID: 'hub',
      A2A_SECRET: WORKSPACE_SECRET,
      IDENTITY_SSO_APP_REGISTRY_JSON: JSON.stringify(
        ids.map((id, index) => ({
          appId: id,
          clientId: `${id}-client`,
          origin: origins[index],
          callbackPath: CALLBACK_PATH,
          capabilities: ['identity-sso'],
        })),
      ),
      ...hubEnv,
    },
  })
  const peers = JSON.stringify(Object.fromEntries(ids.map((id, index) => [id, origins[index]])))
  const apps = await Promise.all(
    ids.map(async (id, index): Promise<WorkspaceApp> => {
      const env: Record<string, string | undefined> = {
        PORT: String(ports[index]),
        FW_APP_ID: id,
        FW_SSO_CLIENT_ID: `${id}-client`,
        FW_IDENTITY_HUB_URL: hub.origin,
        A2A_SECRET: WORKSPACE_SECRET,
        FW_PEERS: peers,
        ...appEnv,
        ...envOf[id],
      }
      const set = Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined)
      const server = await borrowServer({ host: hosts[index], env: Object.fromEntries(set) })
      return { id, server, origin: server.origin, callbackUrl: server.origin + CALLBACK_PATH }
    }),
  )
  return {
    hub,
    apps,
    app(id) {
      const found = apps.find(each => each.id === id)
      if (!found) throw new Error(`the workspace has no ${id}`)
      return found
    },
    async stop() {
      await Promise.all([...apps.map(({ server }) => server), hub].map(server => server.stop()))
    },
  }
}

import { isLoopbackHost } from '#fairway/shared/loopback'
import { IS_PUBLISHED, PACKAGE_NAME } from '#fairway/shared/package'

/** One step: a text, and optionally something to copy. */
export interface GuideStep {
  /** The final part of its text's key. */
  text: string
  code?: string
}

export interface HostGuide {
  id: HostId
  steps: GuideStep[]
  /** Opens the host with all values prefilled. */
  link?: string
  /** The host runs remotely, so the server must be reachable from the internet. */
  isRemote?: boolean
}

type HostId = 'claude-code' | 'claude' | 'chatgpt' | 'cursor' | 'vscode' | 'codex' | 'stdio'

/** How to connect each host to an endpoint, in the host's own words and formats. Names the npm package once it is published. */
export const hostGuides = (url: string, name: string): HostGuide[] => [
  ...terminalAndWeb(url, name),
  ...editors(url, name),
  {
    id: 'stdio',
    steps: [
      { text: 'stdioAddress', code: pretty({ mcpServers: { [name]: { url } } }) },
      ...(IS_PUBLISHED ? packageSteps(url, name) : []),
    ],
  },
]

/** For hosts that start a program instead of accepting an address. No page loads this before the npm package is published. */
export const packageSteps = (url: string, name: string): GuideStep[] => [
  {
    text: 'stdioFile',
    code: pretty({ mcpServers: { [name]: { command: 'npx', args: ['-y', PACKAGE_NAME, 'mcp', 'stdio', url] } } }),
  },
  { text: 'stdioWrite', code: `npx ${PACKAGE_NAME} connect ${url} --client claude-desktop` },
  { text: 'stdioSignIn' },
]

const terminalAndWeb = (url: string, name: string): HostGuide[] => [
  {
    id: 'claude-code',
    steps: [
      { text: 'run', code: `claude mcp add --transport http ${name} ${url}` },
      { text: 'claudeCode', code: '/mcp' },
    ],
  },
  {
    id: 'claude',
    isRemote: true,
    steps: [{ text: 'claudeOpen' }, { text: 'claudeAdd', code: url }, { text: 'claudeConnect' }],
  },
  {
    id: 'chatgpt',
    isRemote: true,
    steps: [{ text: 'chatgptMode' }, { text: 'chatgptAdd', code: url }, { text: 'chatgptUse' }],
  },
]

const editors = (url: string, name: string): HostGuide[] => [
  {
    id: 'cursor',
    link: cursorLink(url, name),
    steps: [{ text: 'cursorFile', code: pretty({ mcpServers: { [name]: { url } } }) }, { text: 'cursorSignIn' }],
  },
  {
    id: 'vscode',
    link: vscodeLink(url, name),
    steps: [
      { text: 'run', code: `code --add-mcp '${JSON.stringify({ name, type: 'http', url })}'` },
      { text: 'vscodeFile', code: pretty({ servers: { [name]: { type: 'http', url } } }) },
      { text: 'vscodeStart' },
    ],
  },
  {
    id: 'codex',
    steps: [
      { text: 'run', code: `codex mcp add ${name} --url ${url}` },
      { text: 'codexSignIn', code: `codex mcp login ${name}` },
    ],
  },
]

const pretty = (value: unknown): string => JSON.stringify(value, undefined, 2)

/** Cursor requests confirmation before it installs the link's configuration. */
function cursorLink(url: string, name: string): string {
  const query = new URLSearchParams({ name, config: btoa(JSON.stringify({ url })) })
  return `cursor://anysphere.cursor-deeplink/mcp/install?${query}`
}

const vscodeLink = (url: string, name: string): string =>
  `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name, type: 'http', url }))}`

/** Whether only programs on this machine can reach the address. */
export const isLocalAddress = (url: string): boolean =>
  !url.startsWith('https:') || isLoopbackHost(new URL(url).hostname)

/** A command that diagnoses connection problems: it runs a host's steps, or shows the server's first response. */
export const probeCommand = (url: string): string =>
  IS_PUBLISHED ? `npx ${PACKAGE_NAME} mcp probe ${url}` : `curl -i ${url}`

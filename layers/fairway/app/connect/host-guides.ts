import { isLoopbackHost } from '#fairway/shared/loopback'
import { IS_PUBLISHED, PACKAGE_NAME } from '#fairway/shared/package'

/** One thing to do: a text, and what to copy where there is something. */
export interface GuideStep {
  /** The last part of its text's key. */
  text: string
  code?: string
}

export interface HostGuide {
  id: HostId
  steps: GuideStep[]
  /** Opens the host with everything filled in. */
  link?: string
  /** The host runs elsewhere, so it must reach the server from outside. */
  isRemote?: boolean
}

type HostId = 'claude-code' | 'claude' | 'chatgpt' | 'cursor' | 'vscode' | 'codex' | 'stdio'

/** How each host is connected to an endpoint, in the host's own words and formats; npm's package is named once npm has it. */
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

/** For hosts that start a program instead of taking an address; no page loads this before npm has the package. */
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

/** Cursor asks before it installs what the link holds. */
function cursorLink(url: string, name: string): string {
  const query = new URLSearchParams({ name, config: btoa(JSON.stringify({ url })) })
  return `cursor://anysphere.cursor-deeplink/mcp/install?${query}`
}

const vscodeLink = (url: string, name: string): string =>
  `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name, type: 'http', url }))}`

/** Whether only programs on this machine can reach the address. */
export const isLocalAddress = (url: string): boolean =>
  !url.startsWith('https:') || isLoopbackHost(new URL(url).hostname)

/** A command that shows where connecting fails: the steps of a host, or the server's first answer to one. */
export const probeCommand = (url: string): string =>
  IS_PUBLISHED ? `npx ${PACKAGE_NAME} mcp probe ${url}` : `curl -i ${url}`

import fwConfig from '#fw/config'
import { offeredTools } from '../../server/domains/mcp'
import { builderConfig } from '../../server/kernel/config/config'
import { readEnv } from '../../server/kernel/config/env'
import { suggestion } from '../../shared/nearest-name'
import { serverName } from '../../shared/package'
import { hostDeclarations } from '../mcp/host-declarations'
import { RECORDED_HOST_IDS, type RecordedHostId } from '../names'
import { say, UsageFault } from '../terminal'
import { type Effect, HOST_RULES, type HostRule, RECORDED_HOSTS } from './host-rules'
import type { Listed, ServerTools } from './tool-traits'

interface HostsInput {
  host?: string
  name?: string
  json: boolean
}

/** A rule that found something. */
type Finding = Omit<HostRule, 'find' | 'host'> & { found: Listed[] }

/** What a host makes of the tools of a server. */
export interface HostReport {
  host: RecordedHostId
  title: string
  version: string
  /** The days of its recordings, oldest first. */
  recorded: string[]
  /** How many tools arrive. */
  arrive: number
  findings: Finding[]
}

/** Compares the tools of this folder's application with the recorded hosts. Returns 1 when a host refuses or hides a tool. */
export async function checkHosts({ host, name, json }: HostsInput): Promise<number> {
  const known = RECORDED_HOST_IDS.find(id => id === host)
  if (host !== undefined && !known)
    throw new UsageFault(
      `There is no host ${host}.${suggestion(host, RECORDED_HOST_IDS)} Known are ${RECORDED_HOST_IDS.join(', ')}.`,
    )
  const title = fwConfig.brand.name
  // The settings need not be complete, so this runs where tests run.
  const tools = offeredTools(await hostDeclarations(process.cwd()), {
    builder: builderConfig(readEnv(process.env), fwConfig),
  })
  const app = { server: name ?? serverName(title), title, instructions: fwConfig.mcp.instructions, tools }
  const { isGood, summary, text } = compareWith(known ? [known] : RECORDED_HOST_IDS, app)
  say(json ? JSON.stringify(summary, null, 2) : text)
  return isGood ? 0 : 1
}

/** Compares the tools of a server with hosts: the reports, and as text. Shows everything that a single host does. */
export function compareWith(hosts: readonly RecordedHostId[], server: ServerTools) {
  const reports = hosts.map(host => reportOf(host, server))
  const total = server.tools.length
  const bytes = Buffer.byteLength(JSON.stringify(server.tools))
  const isGood = reports.every(({ arrive }) => arrive === total)
  return {
    isGood,
    summary: { status: isGood ? 'ok' : 'failed', tools: total, bytes, hosts: reports },
    text: [headline(server.tools, bytes), '', ...tableOf(reports, total), '', ...lines(reports)].join('\n'),
  }
}

/** Applies the rules of a host to the tools of a server. */
export function reportOf(host: RecordedHostId, server: ServerTools): HostReport {
  const { title, version } = RECORDED_HOSTS[host]
  const rules = HOST_RULES.filter(rule => rule.host === host)
  const findings = rules.flatMap(({ find, host: _host, ...rule }) => {
    const tools = find(server)
    return tools.length > 0 ? [{ ...rule, found: tools }] : []
  })
  const hidden = new Set(
    findings.flatMap(({ effect, found }) => (effect === 'hides' ? found : [])).map(each => each.tool),
  )
  const isRefused = findings.some(({ effect }) => effect === 'refuses')
  return {
    host,
    title,
    version,
    recorded: [...new Set(rules.map(({ recorded }) => recorded))].toSorted(),
    arrive: isRefused ? 0 : server.tools.length - hidden.size,
    findings,
  }
}

const many = (number: number, word: string): string =>
  `${number.toLocaleString('en')} ${word}${number === 1 ? '' : 's'}`

function headline(tools: ServerTools['tools'], bytes: number): string {
  const pages = tools.filter(({ _meta }) => _meta && 'ui' in _meta).length
  const withPages = pages > 0 ? `, ${pages} with a page` : ''
  return `${many(tools.length, 'tool')}${withPages}, ${many(bytes, 'byte')}, as /mcp lists them.`
}

function tableOf(reports: readonly HostReport[], total: number): string[] {
  const rows = [
    ['host', 'version', 'recorded', 'tools that arrive'],
    ...reports.map(({ title, version, recorded, arrive }) => [
      title,
      version,
      recorded.at(-1) ?? '',
      `${arrive} of ${total}`,
    ]),
  ]
  const widths = [0, 1, 2].map(column => Math.max(...rows.map(row => row[column]?.length ?? 0)))
  return rows.map(row =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

const MARKS: Record<Effect, '✗' | '!' | '–'> = {
  refuses: '✗',
  hides: '✗',
  cuts: '!',
  rewrites: '!',
  groups: '!',
  renames: '–',
  ignores: '–',
  asks: '–',
}
const SENTENCES: Record<Effect, (title: string, tools: string) => string> = {
  refuses: title => `${title} refuses all tools`,
  hides: (title, tools) => `${title} hides ${tools}`,
  cuts: (title, tools) => `${title} cuts ${tools}`,
  rewrites: (title, tools) => `${title} rewrites ${tools}`,
  groups: title => `${title} puts tools in groups, which the model opens first`,
  renames: (title, tools) => `${title} renames ${tools}`,
  ignores: (title, tools) => `${title} ignores a part of ${tools}`,
  asks: (title, tools) => `${title} asks before each call of ${tools}`,
}

/** All findings of one host, or the findings of all hosts that lose something; then a sentence about all of them. */
function lines(reports: readonly HostReport[]): string[] {
  const isOne = reports.length === 1
  const shown = reports.flatMap(({ title, findings }) =>
    findings.filter(({ effect }) => isOne || MARKS[effect] !== '–').flatMap(each => linesOf(title, each, isOne)),
  )
  const failed = reports.filter(({ findings }) => findings.some(({ effect }) => MARKS[effect] === '✗'))
  const hosts = isOne ? reports.map(({ title }) => title) : `all ${reports.length} hosts`
  const end =
    failed.length === 0
      ? `All tools arrive in ${hosts}.`
      : `${many(failed.length, 'host')} ${failed.length === 1 ? 'keeps' : 'keep'} tools away.`
  return [...shown, ...(shown.length > 0 ? [''] : []), end]
}

function linesOf(title: string, { effect, why, todo, found, recorded, source }: Finding, isOne: boolean): string[] {
  const tools = found.some(({ tool }) => tool) ? many(found.length, 'tool') : 'a text'
  const listed = found.map(({ tool, detail }) => [tool, detail].filter(Boolean).join(': '))
  return [
    `${MARKS[effect]} ${SENTENCES[effect](title, tools)}: ${why}.`,
    ...(MARKS[effect] === '–' ? [`    ${listed.join('; ')}`] : listed.map(line => `    ${line}`)),
    ...(todo ? [`    → ${todo}`] : []),
    ...(isOne ? [`    recorded ${recorded}: ${source}`] : []),
  ]
}

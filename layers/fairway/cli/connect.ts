import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { suggestion } from '../shared/nearest-name'
import { PACKAGE_NAME, serverName } from '../shared/package'
import { changeFile } from './change-file'
import { findHost, type Host, hosts, type Machine, packageCommand } from './hosts/hosts'
import { parseMcpUrl } from './mcp/endpoint'
import { HOST_IDS } from './names'
import { say, UsageFault } from './terminal'

interface ConnectInput {
  url?: string
  client?: string
  name?: string
  print?: boolean
}

/** Writes the address of an endpoint into the configuration of a host, or shows what it would write. */
export async function connect({ client, print, ...options }: ConnectInput): Promise<number> {
  const url = parseMcpUrl(options.url, process.env.FW_BASE_URL).href
  const name = options.name ?? serverName((await import('#fw/config')).default.brand.name)
  const machine = thisMachine()
  if (!/^[\w-]{1,64}$/.test(name)) throw new UsageFault('--name takes letters, digits, “-” and “_”.')
  const host = client === undefined ? undefined : findHost(client)
  if (client !== undefined && !host)
    throw new UsageFault(`There is no host ${client}.${suggestion(client, HOST_IDS)} Known are ${HOST_IDS.join(', ')}.`)
  if (!host) return print ? printAll(url, name, machine) : overview(url, machine)
  if (print) return printOne(host, url, name, machine)
  return write(host, url, name, machine)
}

async function write(host: Host, url: string, name: string, machine: Machine): Promise<number> {
  const file = host.file(machine)
  const change = (text: string) => {
    try {
      return host.set(text, name, url, machine)
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      throw new Error(
        `${file} cannot be read (${error.message}). Nothing was changed. Repair it, or add this yourself:\n${host.set('', name, url, machine)}`,
        { cause: error },
      )
    }
  }
  const { isChanged, backup } = await changeFile(file, change, new Date())
  if (!isChanged) say(`${file} already has ${name}. Nothing was changed.`)
  else say(`${name} is in ${file}.${backup ? ` The file of before is ${backup}.` : ''}`)
  say(host.next(name))
  return 0
}

function printOne(host: Host, url: string, name: string, machine: Machine): number {
  process.stderr.write(`${host.title}, ${host.file(machine)}:\n`)
  process.stdout.write(host.set('', name, url, machine))
  return 0
}

function printAll(url: string, name: string, machine: Machine): number {
  for (const host of Object.values(hosts)) {
    say(`# ${host.title}: ${host.file(machine)}`)
    say(host.set('', name, url, machine))
  }
  return 0
}

/** Without a named host, it connects none: it lists the hosts on this machine, and the command for each. */
function overview(url: string, machine: Machine): number {
  say(`The endpoint is ${url}. Say which host to connect:`)
  for (const [id, host] of Object.entries(hosts)) {
    const isHere = existsSync(host.file(machine))
    say(
      `  npx ${isFetched ? PACKAGE_NAME : 'fw'} connect ${url} --client ${id.padEnd(15)} ${host.title}${isHere ? ' (found on this machine)' : ''}`,
    )
  }
  say('Claude on the web and ChatGPT take the address in their own settings, under connectors.')
  return 0
}

// npx caches packages only for a while, so a host must be able to download it again.
const cli = fileURLToPath(new URL('./fw.mjs', import.meta.url))
const isFetched = /[\\/]_npx[\\/]/.test(cli)

function thisMachine(): Machine {
  return {
    platform: process.platform,
    home: process.env.HOME || process.env.USERPROFILE || homedir(),
    env: process.env,
    command: isFetched ? packageCommand : { command: process.execPath, args: [cli] },
    isThere: existsSync,
  }
}

import { createServer, Packet } from 'dns2'

type DnsPacket = InstanceType<typeof Packet>

/** The answers of a DNS server: texts at a name, or a failure that says nothing about the name. */
export type DnsAnswer = readonly string[] | 'server-failure' | 'silence'

export interface DnsServer {
  /** `127.0.0.1` with its port, for `FW_DNS_SERVERS`. */
  address: string
  /** Sets the TXT records of a name; without any, the name does not exist. */
  set(name: string, answer: DnsAnswer): void
  /** Makes a name an alias of another. */
  alias(name: string, target: string): void
  stop(): Promise<void>
}

/** A real DNS server on a free port of this machine. */
export async function startDns(): Promise<DnsServer> {
  const texts = new Map<string, DnsAnswer>()
  const aliases = new Map<string, string>()
  const server = createServer({ udp: true, handle: (request, send) => answerQuestion(request, send) })

  function answerQuestion(request: DnsPacket, send: (response: DnsPacket) => void): void {
    const response = Packet.createResponseFromRequest(request)
    const [{ name = '', type = 0 } = {}] = request.questions
    const target = aliases.get(name.toLowerCase())
    const found = texts.get((target ?? name).toLowerCase()) ?? []
    if (found === 'silence') return
    const add = (record: Record<string, unknown>) =>
      void response.answers.push(new Packet.Resource({ class: Packet.CLASS.IN, ttl: 1, ...record } as never))
    if (target) add({ name, type: Packet.TYPE.CNAME, domain: target })
    if (found === 'server-failure') response.header.rcode = Packet.RCODE.SERVFAIL
    else if (found.length === 0 && !target) response.header.rcode = Packet.RCODE.NXDOMAIN
    else if (type === Packet.TYPE.TXT) found.forEach(data => add({ name: target ?? name, type: Packet.TYPE.TXT, data }))
    send(response)
  }

  const { udp } = await server.listen({ udp: { port: 0, address: '127.0.0.1' } })
  return {
    address: `127.0.0.1:${udp?.port}`,
    set: (name, answer) => void texts.set(name, answer),
    alias: (name, target) => void aliases.set(name, target),
    stop: async () => void (await server.close()),
  }
}

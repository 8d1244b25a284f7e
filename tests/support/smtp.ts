import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

/** A real mail server on a free port, and what it was given. */
export async function startSmtp(options: { refuse?: boolean } = {}) {
  const received: { from: string; to: string[]; data: string }[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: (_address, _session, done) => done(options.refuse ? new Error('no such mailbox') : null),
    onData(stream, { envelope }, done) {
      let data = ''
      stream.on('data', chunk => (data += String(chunk)))
      stream.on('end', () => {
        const from = envelope.mailFrom ? envelope.mailFrom.address : ''
        received.push({ from, to: envelope.rcptTo.map(recipient => recipient.address), data })
        done()
      })
    },
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  return { url: `smtp://127.0.0.1:${port}`, received, stop: () => new Promise<void>(resolve => server.close(resolve)) }
}

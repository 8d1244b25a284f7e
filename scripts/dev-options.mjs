/** Where the development server listens, from the command line, then the environment; or what is wrong with it. */
export function devOptions(args, env) {
  const host = readOption(args, 'host')
  const port = readOption(args, 'port') ?? env.PORT ?? '3000'
  const known = ['--host', '--port']
  const unknown = args.find(arg => arg.startsWith('-') && !known.includes(arg.split('=', 1)[0]))
  if (unknown) return { fault: `there is no option ${unknown}; there are --port N and --host [name]` }
  const isPort = /^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) < 65_536
  if (!isPort) return { fault: `the port must be a number from 1 to 65535, and not “${port}”` }
  // Without a name it is every address of this machine.
  return { port: Number(port), host: host === undefined ? (env.HOST ?? 'localhost') : host || '0.0.0.0' }
}

/** The value of `--name value` or `--name=value`; empty where none is given, undefined without the option. */
function readOption(args, name) {
  const at = args.findLastIndex(arg => arg === `--${name}` || arg.startsWith(`--${name}=`))
  if (at === -1) return undefined
  if (args[at].includes('=')) return args[at].slice(name.length + 3)
  const next = args[at + 1] ?? ''
  return next.startsWith('-') ? '' : next
}

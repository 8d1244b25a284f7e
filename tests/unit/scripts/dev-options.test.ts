import { expect, it } from 'vitest'
import { devOptions } from '../../../scripts/dev-options.mjs'

it.each([
  [[], {}, 3000, 'localhost'],
  [['--port', '4100'], {}, 4100, 'localhost'],
  [['--port=4100'], { PORT: '5000' }, 4100, 'localhost'],
  [[], { PORT: '5000', HOST: '127.0.0.2' }, 5000, '127.0.0.2'],
  [['--host'], {}, 3000, '0.0.0.0'],
  [['--host', '--port', '4100'], {}, 4100, '0.0.0.0'],
  [['--host', '192.0.2.1', '--port', '4100'], { HOST: 'localhost' }, 4100, '192.0.2.1'],
  [['--host=preview.example'], {}, 3000, 'preview.example'],
] as const)('with %j and %j the development server listens on %i of %s', (args, env, port, host) => {
  expect(devOptions(args, env)).toEqual({ port, host })
})

it.each([
  [['--port'], 'must be a number'],
  [['--port', '0'], '“0”'],
  [['--port=70000'], '“70000”'],
  [['--port', '4e3'], '“4e3”'],
  [['-p', '4000'], 'no option -p'],
  [['--prot=4000'], 'no option --prot=4000'],
])('%j is refused with the reason', (args, reason) => {
  expect(devOptions(args, {}).fault).toContain(reason)
})

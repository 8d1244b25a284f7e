import { describe } from 'vitest'
import { type Host, rowsOf } from './host'
import { startSequence } from './run-sequence'
import { sequences } from './sequences'
import { tryHosts } from './try-hosts'
import { builtWorld, documentWorld, type HostWorld } from './world'

const knownBy = (way: Host['client']) =>
  sequences.flatMap(sequence =>
    rowsOf(sequence)
      .filter(({ client }) => client === way)
      .map(row => ({ ...row, start: (world: HostWorld) => startSequence(sequence, way, world) })),
  )

describe('where documents are not offered', () => tryHosts(knownBy('registered'), builtWorld))

describe('where documents are offered', () => tryHosts(knownBy('document'), documentWorld))

/** Commands for three resources in a chain of required references, each with an import. */
export const chain: readonly string[][] = [
  ['generate', 'resource', 'building', 'name:text', '--org'],
  ['generate', 'resource', 'room', 'name:text', 'seats:integer', 'building:ref(buildings)', '--org'],
  [
    'generate',
    'resource',
    'lesson',
    'title:text',
    'room:ref(rooms)',
    'spare:ref(rooms)?',
    'site:ref(buildings)',
    'teacher:person',
    'level:enum(easy,hard)',
    'page:integer',
    'starts:datetime?',
    'handout:file',
    '--org',
  ],
  ...['building', 'room', 'lesson'].map(name => ['generate', 'import', name]),
]

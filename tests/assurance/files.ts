import { absent, designed, type Requirement } from './requirement'

const NO_FILES = 'No file is accepted from people.'

export const files: readonly Requirement[] = [
  absent('5.1.1', 'It is documented which files are accepted.', NO_FILES),
  absent('5.2.1', 'Files are as large as can be handled.', NO_FILES),
  absent('5.2.2', 'Files are what their names say.', NO_FILES),
  absent('5.2.3', 'Archives are measured before they are unpacked.', NO_FILES),
  absent('5.3.1', 'Files of people are never run.', NO_FILES),
  designed(
    '5.3.2',
    'Paths of files are made of our own names.',
    'The server writes below its data folder, under generated IDs. Tokens of the command line are stored under a hash of their endpoint (`layers/fairway/cli/mcp/token-file.ts`).',
  ),
  designed('5.4.1', 'Names of downloads come from us.', 'Exports have fixed names (`kernel/export-rows.ts`).'),
  designed('5.4.2', 'Names of downloads are encoded.', 'Exports have fixed names of plain letters.'),
  absent('5.4.3', 'Files of strangers are scanned.', NO_FILES),
]

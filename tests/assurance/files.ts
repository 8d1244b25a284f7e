import { absent, designed, documented, missing, type Requirement, tested } from './requirement'

export const files: readonly Requirement[] = [
  documented('5.1.1', 'It is documented which files are accepted.', ['docs/guides/files.md#limits']),
  tested('5.2.1', 'Files are as large as can be handled.', [
    'http/files › returns 413 for a file that becomes too large while it arrives, and stores none of it',
    'unit/domains/files/upload-limits › are limited in bytes for each person and each organization',
    'unit/domains/files/upload-limits › are limited before it is stored: %s',
  ]),
  tested('5.2.2', 'Files are what their names say.', [
    'http/files › returns 415 when the bytes are another type than the name says: %s',
  ]),
  absent('5.2.3', 'Archives are measured before they are unpacked.', 'No archive of a person is unpacked.'),
  tested('5.3.1', 'Files of people are never run.', [
    'http/files-kept › prevents files from running code on the application’s origin',
  ]),
  designed(
    '5.3.2',
    'Paths of files are made of our own names.',
    'The server writes below its data folder, under generated IDs. Tokens of the command line are stored under a hash of their endpoint (`layers/fairway/cli/mcp/token-file.ts`).',
  ),
  tested('5.4.1', 'Names of downloads come from us.', ['http/files › stores %s file named by %s: %s as %s%s']),
  tested('5.4.2', 'Names of downloads are encoded.', ['http/files-kept › sends file names in ASCII and in UTF-8']),
  missing('5.4.3', 'Files of strangers are scanned.', 'Uploads are not scanned for malware.'),
]

// The one reader of CSV files, for the import dialog and for jobs.
import Papa from 'papaparse'
import { unguardFormulas } from './formula-guard'

/** Why a row cannot be read, with its sentence in English. */
export const csvFaults = {
  cells: 'has more cells than there are column names.',
  quotes: 'has quotation marks that do not match.',
  characters: 'has characters that cannot be read.',
} as const

export interface CsvRow {
  /** The number that a spreadsheet shows for the row. The first row is 1, and blank rows count. */
  row: number
  cells: string[]
  fault?: keyof typeof csvFaults
}

/**
 * Yields the rows of a CSV file that are not blank, the column names first. It recognizes the encoding, the separator and the
 * line ends. Reading ends at a row with the fault `quotes`, because the rows below it cannot be told apart.
 */
export async function* readCsv(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<CsvRow> {
  const table = new CsvTable()
  for await (const text of decodeText(bytes)) {
    yield* table.read(text, false)
    if (table.isBroken) return
  }
  yield* table.read('', true)
}

// The longest row. An unclosed quotation mark would otherwise keep the rest of a file in memory.
const MOST_IN_ROW = 1024 * 1024
const UNREADABLE = /[\0\u{FFFD}]/u

class CsvTable {
  isBroken = false
  #parser: Papa.Parser | undefined
  #rest = ''
  #row = 0
  #width: number | undefined;

  *read(text: string, isLast: boolean): Generator<CsvRow> {
    this.#rest += text
    this.#parser ??= this.#chooseParser()
    const { data, errors, meta }: Papa.ParseResult<string[]> = this.#parser.parse(this.#rest, 0, !isLast)
    this.#rest = isLast ? '' : this.#rest.slice(meta.cursor)
    const broken = errors[0]?.row
    for (const [index, cells] of data.entries()) {
      this.isBroken = index === broken
      this.#row += 1
      if (isFilled(cells)) yield this.#toRow(cells)
      if (this.isBroken) return
    }
    if (this.#rest.length <= MOST_IN_ROW) return
    this.isBroken = true
    yield { row: this.#row + 1, cells: [], fault: 'quotes' }
  }

  #chooseParser(): Papa.Parser {
    // Excel's own line for the separator.
    const [line, named] = /^"?sep=([^\r\n"])"?[^\S\r\n]*(?:\r\n?|\n)/i.exec(this.#rest) ?? []
    if (line) {
      this.#rest = this.#rest.slice(line.length)
      this.#row = 1
    }
    // Without line feeds between its rows, a file ends its lines with carriage returns.
    const newline = /\n/.test(this.#rest.replaceAll(/"[^"]*"/g, '')) ? '\n' : '\r'
    return new Papa.Parser({ newline, delimiter: named ?? separatorOf(this.#rest, newline) })
  }

  #toRow(rawCells: readonly string[]): CsvRow {
    const row = this.#row
    const texts = rawCells.map((cell, index) =>
      unguardFormulas(index < rawCells.length - 1 ? cell : cell.replace(/\r$/, '')),
    )
    const cells = this.#width === undefined ? columnNames(texts) : texts.slice(0, this.#width)
    this.#width = cells.length
    if (this.isBroken) return { row, cells, fault: 'quotes' }
    if (texts.some(text => UNREADABLE.test(text))) return { row, cells, fault: 'characters' }
    return isFilled(texts.slice(cells.length)) ? { row, cells, fault: 'cells' } : { row, cells }
  }
}

const isFilled = (cells: readonly string[]): boolean => cells.some(cell => cell.trim() !== '')

/** The names in the first row. A name that is there already gets a number: `Phone`, `Phone_1`. */
function columnNames(cells: readonly string[]): string[] {
  const names: string[] = []
  for (const heading of cells.map(cell => cell.trim())) {
    let name = heading
    for (let count = 1; name !== '' && names.includes(name); count++) name = `${heading}_${count}`
    names.push(name)
  }
  return names
}

// On a draw, the one that texts use least.
const SEPARATORS = ['\t', ';', '|', ',']
const NO_SEPARATOR = '\u001F'
const COMPARED_ROWS = 200

/** The separator on which most rows agree with the column names; one that no text has when none splits both. */
function separatorOf(text: string, newline: '\n' | '\r'): string {
  const scores = SEPARATORS.map(delimiter => {
    const parser = new Papa.Parser({ delimiter, newline, preview: COMPARED_ROWS })
    const { data }: Papa.ParseResult<string[]> = parser.parse(text, 0, false)
    const [{ length: width } = [], ...rows] = data.filter(isFilled)
    if (width < 2) return 0
    const split = rows.filter(cells => cells.length > 1)
    return rows.length === 0 ? 1 : split.length + split.filter(cells => cells.length === width).length
  })
  const most = Math.max(...scores)
  return most === 0 ? NO_SEPARATOR : (SEPARATORS[scores.indexOf(most)] ?? NO_SEPARATOR)
}

const SAMPLE = 64 * 1024

/** Decodes bytes in pieces. Until a byte is not ASCII, any encoding is possible. */
async function* decodeText(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined
  let sample = new Uint8Array()
  for await (const chunk of bytes) {
    if (decoder) {
      yield decoder.decode(chunk, { stream: true })
      continue
    }
    sample = joined(sample, chunk)
    const encoding = sample.length < SAMPLE ? undefined : encodingOf(sample, true)
    if (!encoding) continue
    const chosen = new TextDecoder(encoding)
    if (encoding !== 'ascii') decoder = chosen
    yield chosen.decode(sample, { stream: true })
    sample = new Uint8Array()
  }
  yield decoder ? decoder.decode() : new TextDecoder(encodingOf(sample, false)).decode(sample)
}

function joined(left: Uint8Array, right: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(left.length + right.length)
  both.set(left)
  both.set(right, left.length)
  return both
}

const MARKS = [
  ['fffe', 'utf-16le'],
  ['feff', 'utf-16be'],
  ['efbbbf', 'utf-8'],
] as const

/**
 * The encoding of a text by its beginning: a byte order mark, UTF-16, UTF-8, else the one of spreadsheets on Windows. Undefined
 * when the sample ends within its only character beyond ASCII.
 */
function encodingOf(bytes: Uint8Array, isCut: boolean): string | undefined {
  const beginning = [...bytes.subarray(0, 3)].map(byte => byte.toString(16)).join('')
  const known = MARKS.find(([mark]) => beginning.startsWith(mark))?.[1] ?? utf16Of(bytes)
  if (known) return known
  if (bytes.every(byte => byte < 0x80)) return 'ascii'
  const text = new TextDecoder().decode(bytes, { stream: isCut })
  const readable = text.match(/[^\0-\u{7F}\u{FFFD}]/gu)?.length ?? 0
  const unreadable = text.match(/\u{FFFD}/gu)?.length ?? 0
  if (readable + unreadable === 0) return
  return readable >= unreadable || isUtf8(bytes, isCut) ? 'utf-8' : 'windows-1252'
}

/** UTF-16 without a mark: line breaks and Latin letters have a null byte in it, always on the same side. */
function utf16Of(bytes: Uint8Array): string | undefined {
  const nulls = (side: number) => bytes.filter((byte, index) => byte === 0 && index % 2 === side).length
  const [even, odd] = [nulls(0), nulls(1)]
  if (Math.min(even, odd) > 0 || even + odd <= bytes.length / 8) return
  return even > 0 ? 'utf-16be' : 'utf-16le'
}

/** Returns whether all bytes are valid. A file may contain the character that replaces others. */
function isUtf8(bytes: Uint8Array, isCut: boolean): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isCut })
    return true
  } catch {
    return false
  }
}

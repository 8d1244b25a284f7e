import type { ColumnKind } from '#fairway/shared/csv/column-format'
import { isRecord } from '#fairway/shared/record'
import type { ActionFailure } from '../request/action-failure'
import { callAction, toActionFailure } from '../request/send-json'
import type { ImportRow } from './table-file'

/** An error in a row. Rows are counted from 0. */
export interface RowFault {
  row: number
  /** Left out when the error concerns the whole row. */
  field?: string
  message: string
}

const ROWS_AT_ONCE = 500
const TIME_OUT_IN_MS = 120_000
export const MOST_FAULTS = 100
const KINDS: readonly ColumnKind[] = ['number', 'boolean', 'date', 'datetime']

/** Checks rows in batches, then sends all of them to an import action. A stopped check has written nothing. */
export function useImport(action: string) {
  const doing = ref<'checking' | 'writing'>()
  const checked = ref(0)
  const faults = ref<RowFault[]>([])
  const failure = shallowRef<ActionFailure>()
  const done = useDoneAction()
  let stopping = new AbortController()

  /** Checks all rows. Returns true when no row has an error. */
  const check = (rows: readonly ImportRow[]): Promise<boolean> =>
    during('checking', async signal => {
      for (let from = 0; from < rows.length && faults.value.length < MOST_FAULTS; from += ROWS_AT_ONCE) {
        await send(rows.slice(from, from + ROWS_AT_ONCE), { from, dryRun: true, signal })
        checked.value = Math.min(from + ROWS_AT_ONCE, rows.length)
      }
    })

  /** Writes all rows. Returns true on success. */
  const write = (rows: readonly ImportRow[]): Promise<boolean> =>
    during('writing', async signal => {
      await send(rows, { from: 0, dryRun: false, signal })
      if (faults.value.length === 0) done.value = { name: action }
    })

  /** Asks the server what fields take. Returns a function with the kind of a field; undefined for texts. */
  async function readKinds(): Promise<(field: string) => ColumnKind | undefined> {
    const answer = await callAction(action, { rows: [], dryRun: true }).catch((thrown: unknown) => {
      // An action of the application may refuse an import without rows.
      if (toActionFailure(thrown).code !== 'invalid-input') throw thrown
    })
    const fields = isRecord(answer) && isRecord(answer.fields) ? answer.fields : {}
    return field => KINDS.find(kind => kind === fields[field])
  }

  async function during(what: 'checking' | 'writing', work: (signal: AbortSignal) => Promise<void>): Promise<boolean> {
    stopping = new AbortController()
    const { signal } = stopping
    doing.value = what
    checked.value = 0
    faults.value = []
    failure.value = undefined
    try {
      await work(signal)
    } catch (thrown) {
      if (!signal.aborted) failure.value = toActionFailure(thrown)
      return false
    } finally {
      doing.value = undefined
    }
    return faults.value.length === 0
  }

  async function send(
    rows: readonly ImportRow[],
    { from, dryRun, signal }: { from: number; dryRun: boolean; signal: AbortSignal },
  ): Promise<void> {
    try {
      await callAction(action, { rows, dryRun }, { signal, timeoutInMs: TIME_OUT_IN_MS })
    } catch (thrown) {
      const rowFaults = faultsOf(toActionFailure(thrown), from)
      if (rowFaults.length === 0) throw thrown
      faults.value.push(...rowFaults)
    }
  }

  return { doing, checked, faults, failure, readKinds, check, write, stop: () => stopping.abort() }
}

function faultsOf({ code, errors }: ActionFailure, from: number): RowFault[] {
  if (code !== 'invalid-input') return []
  return errors.flatMap(({ path, message }) => {
    const [, row, field] = /^rows\.(\d+)(?:\.(\w+))?/.exec(path) ?? []
    return row === undefined ? [] : { row: from + Number(row), field, message }
  })
}

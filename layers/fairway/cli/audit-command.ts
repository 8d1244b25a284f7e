import { defineCommand } from 'citty'
import { verifyAuditLog } from '../server/domains/actions'
import { showProgress, withLocalApp } from './with-local-app'

const verify = defineCommand({
  meta: { name: 'verify', description: 'Check that no row of the audit log was changed or deleted.' },
  run: () =>
    withLocalApp(async app => {
      const reports = await verifyAuditLog(app, rows => showProgress(`${rows} rows`))
      showProgress('')
      for (const { chain, rows, head, faults } of reports) {
        const result = faults.length === 0 ? 'holds' : faults.join('; ')
        process.stdout.write(`${chain}: ${rows} rows, ${result}${head ? `, head ${head}` : ''}\n`)
      }
      if (reports.length === 0) process.stdout.write('The audit log is empty.\n')
      return reports.every(({ faults }) => faults.length === 0) ? 0 : 1
    }),
})

/** `fw audit verify`: walks the chains of the audit log; ends with 1 when one does not hold. */
export const auditCommand = defineCommand({
  meta: { name: 'audit', description: 'The audit log of this application.' },
  subCommands: { verify },
})

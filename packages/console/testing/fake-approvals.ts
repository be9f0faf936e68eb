/** Requests to run statements, for tests. */
import type { StatementApproval } from '@gatehouse/contract/kinds/db/db-approvals';

export function approval(more: Partial<StatementApproval> = {}): StatementApproval {
  const sql = more.sql ?? 'update goods set price = 2';
  return {
    ...{
      id: '5b6c7d8e-1f20-4a3b-8c4d-5e6f70819203',
      database: 'shop',
      protocol: 'postgres',
      dbUser: 'app',
      dbName: 'shop',
    },
    ...{ user: 'tomas', reason: 'ticket 4711', sql, length: sql.length, statements: 1, state: 'PENDING' },
    ...{
      created: '2026-11-15T03:00:00Z',
      expires: '2026-11-16T03:00:00Z',
      decidedBy: '',
      decided: '',
      note: '',
      used: '',
    },
    mayDecide: true,
    mayTakeBack: false,
    ...more,
  };
}

/** A sixth kind of resource, put into the tables for one test file. Import it before anything that reads them: lists made of the rows are made once. */
import type { KindFacts } from '@gatehouse/contract/kinds/kind';
import { KIND_SCHEMAS, type KindSchemas, reportedSchemas } from '@gatehouse/contract/kinds/kind-schemas';
import { KINDS, type Kind, kinds, rows } from '@gatehouse/contract/kinds/kinds';
import { z } from 'zod';

/** As the compiler sees it, one of those that exist. */
export const SIXTH = 'printer' as Kind;

export const SIXTH_ROW: KindFacts = {
  noun: 'printer',
  path: 'printers',
  acl: 'printers',
  flag: 'printers',
  sessionKind: 'print',
  joinRole: 'Printer',
  offered: 'named',
  eventFamily: 'printers',
  rules: ['printer'],
  labels: 'printer_labels',
  lockTarget: 'printer',
  principals: [
    { name: 'queue', field: 'printer_queues', required: true, login: true, main: true },
    { name: 'tray', field: 'printer_trays', with: 'queue', preposition: 'from' },
  ],
  recording: 'none',
  sortable: ['name'],
  nameField: 'printer_name',
};

const SIXTH_SCHEMAS: KindSchemas = {
  reported: z.object({
    kind: z.literal(SIXTH),
    id: z.string(),
    name: z.string(),
    labels: z.record(z.string(), z.string()),
    spec: z.object({ pages: z.number() }),
  }),
  offerName: z.string(),
};

export function addSixthKind(): void {
  Object.assign(KINDS, { [SIXTH]: SIXTH_ROW });
  Object.assign(KIND_SCHEMAS, { [SIXTH]: SIXTH_SCHEMAS });
  (reportedSchemas as unknown as unknown[]).push(SIXTH_SCHEMAS.reported);
  (kinds as Kind[]).push(SIXTH);
  (rows as (KindFacts & { kind: Kind })[]).push({ ...SIXTH_ROW, kind: SIXTH });
}

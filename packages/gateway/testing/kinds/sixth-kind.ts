/** A sixth kind of resource, put into the table for one test file. Import it before anything that reads the table: lists made of the rows are made once. */
import type { KindFacts } from '@gatehouse/contract/kinds/kind';
import { KINDS, type Kind, kinds, rows } from '@gatehouse/contract/kinds/kinds';

/** As the compiler sees it, one of those that exist. */
export const SIXTH = 'printer' as Kind;

export const SIXTH_ROW: KindFacts = {
  path: 'printers',
  acl: 'printers',
  flag: 'printers',
  sessionKind: 'print',
  joinRole: 'Printer',
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

export function addSixthKind(): void {
  Object.assign(KINDS, { [SIXTH]: SIXTH_ROW });
  (kinds as Kind[]).push(SIXTH);
  (rows as (KindFacts & { kind: Kind })[]).push({ ...SIXTH_ROW, kind: SIXTH });
}

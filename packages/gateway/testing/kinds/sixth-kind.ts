/** A sixth kind of resource and a bare one, put into the tables for one test file. Import it before anything that reads them: lists made of the rows are made once. */
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
  installScript: 'install-printer.sh',
  offeredAt: 'tray',
  eventFamily: 'printers',
  rules: ['printer'],
  labels: 'printer_labels',
  lockTarget: 'printer',
  principals: [
    {
      ...{ name: 'queue', field: 'printer_queues', testedAs: 'printer_queue' },
      ...{ required: true, login: true, main: true },
    },
    { name: 'tray', field: 'printer_trays', with: 'queue', starAllows: true, preposition: 'from' },
  ],
  ignoresCase: 'always',
  recording: 'none',
  sortable: ['name'],
  testSteps: ['access', 'paper'],
  nameField: 'printer_name',
};

/** One that is reached under no name at all: who may see it may connect to it. */
export const BARE = 'pump' as Kind;

const BARE_ROW: KindFacts = {
  ...{ noun: 'pump', path: 'pumps', acl: 'pumps', flag: 'pumps', sessionKind: 'pump', joinRole: 'Pump' },
  ...{ offered: 'named', installScript: 'install-pump.sh', offeredAt: 'addr' },
  ...{ eventFamily: 'pumps', rules: ['pump'], labels: 'pump_labels', lockTarget: 'pump' },
  ...{ principals: [], recording: 'none', sortable: ['name'], nameField: 'pump_name' },
};

const schemasFor = (kind: Kind, spec: z.ZodType): KindSchemas => ({
  reported: z.object({
    kind: z.literal(kind),
    id: z.string(),
    name: z.string(),
    labels: z.record(z.string(), z.string()),
    spec,
  }),
  offerName: z.string(),
});

function addKind(kind: Kind, row: KindFacts, schemas: KindSchemas): void {
  Object.assign(KINDS, { [kind]: row });
  Object.assign(KIND_SCHEMAS, { [kind]: schemas });
  (reportedSchemas as unknown as unknown[]).push(schemas.reported);
  (kinds as Kind[]).push(kind);
  (rows as unknown as (KindFacts & { kind: Kind })[]).push({ ...row, kind });
}

/** One whose target adds up what several roles give. */
export const SHARED_NAMES = 'choir' as Kind;

export function addKindOfSharedNames(): void {
  const row: KindFacts = {
    ...{ noun: 'choir', path: 'choirs', acl: 'choirs', flag: 'choirs', sessionKind: 'sing', joinRole: 'Choir' },
    ...{ eventFamily: 'choirs', rules: ['choir'], labels: 'choir_labels', recording: 'none', sortable: ['name'] },
    ...{ principals: [{ name: 'voices', field: 'choir_voices', many: true }], namesAddUp: true, hasObjects: true },
    nameField: 'choir_name',
  };
  addKind(SHARED_NAMES, row, schemasFor(SHARED_NAMES, z.object({})));
}

/** `more`: what its row says beside, in that file alone. */
export function addSixthKind(more: Pick<KindFacts, 'shared'> = {}): void {
  const named = z.strictObject({ name: z.string(), tray: z.string() });
  addKind(SIXTH, { ...SIXTH_ROW, ...more }, { ...schemasFor(SIXTH, z.object({ pages: z.number() })), named });
}

export function addBareKind(): void {
  addKind(BARE, BARE_ROW, schemasFor(BARE, z.object({})));
}

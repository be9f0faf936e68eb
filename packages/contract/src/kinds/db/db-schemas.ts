/** What agents and join tokens say of databases. */
import { z } from 'zod';
import { resourceLabels } from '../../std/resource-fields.ts';
import { parseDbUri } from './db-address.ts';
import { dbName, offeredDbSpec } from './db-spec.ts';

/** With its scheme, which says the protocol. */
const dbUri = z.string().max(2_048).refine(isWhole, 'must look like postgres://HOST:PORT');

function isWhole(uri: string): boolean {
  return !('wrong' in parseDbUri(uri));
}

export const dbSchemas = {
  reported: z.object({
    kind: z.literal('db'),
    /** Its name: the same database of several agents is one. */
    id: z.string().max(64),
    name: dbName,
    labels: resourceLabels,
    spec: offeredDbSpec,
  }),
  offerName: z
    .string()
    .max(63)
    .regex(/^[a-z0-9*](?:[a-z0-9*-]*[a-z0-9*])?$/, 'must be a name of a database; * stands for any letters'),
  named: z.strictObject({ name: dbName, uri: dbUri }),
} as const;

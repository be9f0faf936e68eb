/** What a machine that joined with a token may offer: names of applications and servers, and the labels it gives itself. */
import { z } from 'zod';
import { type KindOffers, type OptionalFields, schemasOf } from '../../kinds/kind-schemas.ts';
import { rows } from '../../kinds/kinds.ts';

const labelPattern = z
  .string()
  .max(256)
  .regex(/^[A-Za-z0-9*][A-Za-z0-9*._/:-]*$/, 'must be a name of a label; * stands for any letters');

/** Absent for a kind whose things are named: bound by the first install script that names one. Absent for machines: any name that is free. */
const offerNames = Object.fromEntries(
  rows.flatMap(({ kind, path }) => {
    const { offerName } = schemasOf(kind);
    return offerName ? [[path, z.array(offerName).max(64).optional()]] : [];
  }),
) as unknown as OptionalFields<KindOffers>;

export const tokenOffers = z.strictObject({
  ...offerNames,
  /** Labels machines may give themselves; absent: any. Those of the token always win. */
  labels: z.array(labelPattern).max(64).optional(),
});
export type TokenOffers = z.output<typeof tokenOffers>;

/** Tokens of one group hold names together: the next token of a group goes on with what the one before had. */
export const tokenGroup = z
  .string()
  .max(64)
  .regex(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/, 'must be lower-case letters, digits and dashes');

/** What a machine that joined with a token may offer: names of applications and servers, and the labels it gives itself. */
import { z } from 'zod';

/** A name, or a part of one with `*`. */
const appPattern = z
  .string()
  .max(63)
  .regex(/^[a-z0-9*](?:[a-z0-9*-]*[a-z0-9*])?$/, 'must be a name of an application; * stands for any letters');
const nodePattern = z
  .string()
  .max(253)
  .regex(/^[A-Za-z0-9*](?:[A-Za-z0-9*._-]*[A-Za-z0-9*])?$/, 'must be a name of a server; * stands for any letters');
const labelPattern = z
  .string()
  .max(256)
  .regex(/^[A-Za-z0-9*][A-Za-z0-9*._/:-]*$/, 'must be a name of a label; * stands for any letters');

export const tokenOffers = z.strictObject({
  /** Absent in a token for applications: bound by the first install script that names one. */
  apps: z.array(appPattern).max(64).optional(),
  /** Names machines may join with; absent: any that is free. */
  nodes: z.array(nodePattern).max(64).optional(),
  /** Labels machines may give themselves; absent: any. Those of the token always win. */
  labels: z.array(labelPattern).max(64).optional(),
});
export type TokenOffers = z.output<typeof tokenOffers>;

/** Tokens of one group hold names together: the next token of a group goes on with what the one before had. */
export const tokenGroup = z
  .string()
  .max(64)
  .regex(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/, 'must be lower-case letters, digits and dashes');

/** Databases as an agent offers them: those in reach that its file names, and which of the gateway's it looks after. */
import { dbDialAddress, parseDbUri } from '@gatehouse/contract/kinds/db/db-address';
import { databaseMatch } from '@gatehouse/contract/kinds/db/db-match';
import { dbFields, dbName, offeredDbSpec } from '@gatehouse/contract/kinds/db/db-spec';
import { resourceLabels } from '@gatehouse/contract/std/resource-fields';
import { z } from 'zod';
import { parseRule } from '../../reach/tcp/allow-rules.ts';
import { defineAgentKind } from '../agent-kind.ts';

/** That it is named allows its address to be dialled. The scheme of its address may say the protocol. */
const offeredDb = z
  .strictObject({
    name: dbName,
    labels: resourceLabels.default({}),
    ...dbFields,
    protocol: dbFields.protocol.optional(),
  })
  .transform(({ name, labels, ...written }, context) => {
    const parsed = parseDbUri(written.uri, written.protocol);
    if ('wrong' in parsed) {
      context.addIssue({ code: 'custom', path: ['uri'], message: parsed.wrong });
      return z.NEVER;
    }
    const { data: spec, error } = offeredDbSpec.safeParse({ ...written, protocol: parsed.protocol });
    for (const { path, message } of error?.issues ?? []) context.addIssue({ code: 'custom', path, message });
    return spec ? { name, labels, spec, hosts: parsed.address.hosts } : z.NEVER;
  });

/** One value stands there by itself, several as a list. */
const written = z.array(z.record(z.string(), z.union([z.string().transform((value) => [value]), z.array(z.string())])));

export const agentDbs = defineAgentKind({
  config: {
    databases: z
      .array(offeredDb)
      .max(500)
      .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, 'names a database twice')
      .default([]),
    /** Labels say which it is asked for; what it may dial, `allow` says. */
    databaseMatch: written.pipe(databaseMatch).default([]),
  },
  /** Its id is its name: the same database of several agents is one. */
  offer: ({ databases }) => databases.map(({ name, labels, spec }) => ({ kind: 'db', id: name, name, labels, spec })),
  matches: ({ databaseMatch: match }) => match,
  /** Exactly the addresses of the databases. */
  allowRules: ({ databases }) =>
    databases
      .flatMap(({ hosts }) => hosts.map((host) => parseRule(dbDialAddress(host))))
      .filter((rule) => typeof rule !== 'string'),
});

/** Databases for tests of the console. */
import type { Database, DatabaseDetails } from '@gatehouse/contract/kinds/db/databases';
import { type DbProtocol, dbTitle } from '@gatehouse/contract/kinds/db/db-address';
import { dbSpec } from '@gatehouse/contract/kinds/db/db-spec';

type Facts = NonNullable<Database['gatehouse']>;

interface DbFacts {
  protocol?: DbProtocol;
  type?: string;
  description?: string;
  labels?: Record<string, string>;
  users?: readonly string[];
  names?: readonly string[];
  /** Its default database. */
  standard?: string;
  tls?: Facts['tls'];
  signIn?: Facts['signIn'];
  source?: Facts['source'];
  readOnly?: boolean;
  ways?: number;
}

export function database(name: string, facts: DbFacts = {}): Database {
  const { protocol = 'postgres', type = 'self-hosted', description = '', labels = {} } = facts;
  const { users = ['app'], names = [name], standard = '', tls = 'verify-full', signIn = 'password' } = facts;
  const { source = 'entered', readOnly = false, ways = 0 } = facts;
  return {
    name,
    desc: description,
    protocol,
    type,
    labels: Object.entries(labels).map(([key, value]) => ({ name: key, value })),
    hostname: `${name}.inside`,
    database_users: [...users],
    database_names: [...names],
    gatehouse: {
      title: dbTitle(type, protocol),
      uri: `${name}.inside`,
      database: standard,
      ...{ source, tls, signIn, readOnly, ways },
      connected: 0,
    },
  };
}

export function databaseDetails(shown: Database, stored: readonly string[] = []): DatabaseDetails {
  const { uri = '', tls: mode = 'verify-full', signIn = 'password' } = shown.gatehouse ?? {};
  const { mark: _, ...spec } = dbSpec.parse({ protocol: shown.protocol, uri, tls: { mode }, signIn });
  return {
    item: shown,
    ...spec,
    description: shown.desc,
    labels: Object.fromEntries(shown.labels.map(({ name, value }) => [name, value])),
    agents: [],
    stored: [...stored],
  };
}

export const DATABASES: Database[] = [
  database('shop', { description: 'Orders', labels: { env: 'prod' }, users: ['app', 'report'], standard: 'shop' }),
  database('cache', { protocol: 'redis', tls: 'off', users: ['*'], names: ['*'], labels: { env: 'dev' } }),
  database('ledger', { type: 'rds', protocol: 'mysql', tls: 'insecure', readOnly: true, labels: { env: 'prod' } }),
  database('vault', { users: [] }),
];

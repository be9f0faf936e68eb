/** How databases are enrolled: a card for each protocol, and one for Amazon's warehouse. */
import { DB_PROTOCOLS, type DbProtocol } from '@gatehouse/contract/kinds/db/db-address';
import Database from 'lucide-react/icons/database';
import type { FlowCard, KindFlows } from '../../shared/enrolment/flow.ts';

const RESOURCES = {
  postgres: 'DISCOVER_RESOURCE_DATABASE_POSTGRES_SELF_HOSTED',
  mysql: 'DISCOVER_RESOURCE_DATABASE_MYSQL_SELF_HOSTED',
  mongodb: 'DISCOVER_RESOURCE_DATABASE_MONGODB_SELF_HOSTED',
  sqlserver: 'DISCOVER_RESOURCE_DATABASE_SQLSERVER_SELF_HOSTED',
  redis: 'DISCOVER_RESOURCE_DATABASE_REDIS_SELF_HOSTED',
} as const satisfies Record<DbProtocol, string>;

const common = {
  group: 'discover.group-databases',
  icon: Database,
  may: (acl) => acl.db.create,
} as const satisfies Partial<FlowCard>;

export const dbFlows: KindFlows = {
  cards: [
    ...DB_PROTOCOLS.map(
      (protocol): FlowCard => ({
        ...common,
        id: protocol,
        resource: RESOURCES[protocol],
        title: `discover.card-${protocol}`,
        text: `discover.card-${protocol}-text`,
        also: `discover.card-${protocol}-also`,
        first: { draft: { protocol } },
      }),
    ),
    {
      ...common,
      id: 'redshift',
      resource: 'DISCOVER_RESOURCE_DATABASE_POSTGRES_REDSHIFT',
      title: 'discover.card-redshift',
      text: 'discover.card-redshift-text',
      also: 'discover.card-redshift-also',
      first: { draft: { protocol: 'postgres', signIn: 'aws' } },
    },
  ],
  words: [
    ...(['databases', 'add-db', 'db-form', 'db-panel', 'db-connect', 'joining', 'connection-steps'] as const),
    ...(['resource-list', 'way-there', 'webauthn'] as const),
  ],
  load: () => import('./enrol/db-flow.tsx').then((file) => file.dbFlow),
};

/** The commands that lead from a terminal into a database. */
import type { Database } from '@gatehouse/contract/kinds/db/databases';
import type { DbProtocol } from '@gatehouse/contract/kinds/db/db-address';
import { shellWord } from '../../../shared/resource-panel/shell-word.ts';
import type { DbChoice } from './db-choices.ts';

const LOOPBACK = '127.0.0.1';

/** Beside the usual port, which a database on one's own machine may have. */
const LOCAL_PORTS: Readonly<Record<DbProtocol, number>> = {
  postgres: 15_432,
  mysql: 13_306,
  mongodb: 37_017,
  sqlserver: 11_433,
  redis: 16_379,
};

type ClientLine = (port: number, choice: DbChoice) => string;

/** None of them has a password to give: the gateway signs in. */
const CLIENTS: Readonly<Record<DbProtocol, ClientLine>> = {
  postgres: (port, { dbUser, dbName }) =>
    `psql -h ${LOOPBACK} -p ${port} -U ${shellWord(dbUser)}${dbName && ` -d ${shellWord(dbName)}`}`,
  mysql: (port, { dbUser, dbName }) =>
    `mariadb -h ${LOOPBACK} -P ${port} -u ${shellWord(dbUser)}${dbName && ` -D ${shellWord(dbName)}`}`,
  mongodb: (port, { dbName }) =>
    `mongosh ${shellWord(`mongodb://${LOOPBACK}:${port}/${encodeURIComponent(dbName)}?directConnection=true`)}`,
  sqlserver: (port, { dbUser, dbName }) =>
    `tsql -H ${LOOPBACK} -p ${port} -U ${shellWord(dbUser)}${dbName && ` -D ${shellWord(dbName)}`}`,
  redis: (port, { dbName }) => `redis-cli -h ${LOOPBACK} -p ${port}${dbName && ` -n ${shellWord(dbName)}`}`,
};

/** Starts the client as well: the shortest way, where it is installed. */
export function connectCommand({ name }: Database, choice: DbChoice): string {
  return `gatehouse db connect ${name}${choiceFlags(choice)}`;
}

export function proxyCommand({ name, protocol }: Database, choice: DbChoice): string {
  return `gatehouse proxy db ${name}${choiceFlags(choice)} --listen ${LOOPBACK}:${LOCAL_PORTS[protocol]}`;
}

/** What one then types in another window. */
export function clientCommand({ protocol }: Database, choice: DbChoice): string {
  return CLIENTS[protocol](LOCAL_PORTS[protocol], choice);
}

function choiceFlags({ dbUser, dbName }: DbChoice): string {
  return ` --db-user ${shellWord(dbUser)}${dbName && ` --db-name ${shellWord(dbName)}`}`;
}

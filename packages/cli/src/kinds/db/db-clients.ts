/** The programs that speak with databases, and what each of them is told to find one. */
import type { DbProtocol } from '@gatehouse/contract/kinds/db/db-address';

export interface ReachedDb {
  dbUser: string;
  dbName: string;
}

export interface DbClient {
  /** The first of them that is installed. */
  programs: readonly string[];
  /** Where to get one. */
  from: string;
  /** Undefined: its programs know ports alone. */
  socket?: {
    /** What it must be called in its folder. */
    file: string;
    /** Arguments that lead to it, before those of the user. */
    leading(folder: string, db: ReachedDb): string[];
  };
  /** Arguments that lead to a port of this machine. */
  byPort?(host: string, port: string, db: ReachedDb): string[];
  /** Variables that lead to a port. */
  variables(host: string, port: string, db: ReachedDb): Record<string, string>;
  /** What an address is that programs take; empty where they take none. */
  address(host: string, port: string, db: ReachedDb): string;
}

const encoded = encodeURIComponent;
const conninfo = (value: string) => `'${value.replaceAll(/['\\]/g, '\\$&')}'`;

export const DB_CLIENTS: Readonly<Record<DbProtocol, DbClient>> = {
  postgres: {
    programs: ['psql'],
    from: 'the Debian package postgresql-client',
    socket: {
      file: '.s.PGSQL.5432',
      // psql takes a name with `=` for more than a name, which may lead elsewhere.
      leading: (folder, { dbUser, dbName }) => [
        '-h',
        folder,
        '-p',
        '5432',
        '-U',
        dbUser,
        '-d',
        `dbname=${conninfo(dbName)}`,
      ],
    },
    variables: (PGHOST, PGPORT, { dbUser: PGUSER, dbName: PGDATABASE }) => ({
      ...{ PGHOST, PGPORT, PGUSER, PGDATABASE },
      // The way to the gateway is encrypted; what leads to it on this machine is not.
      ...{ PGSSLMODE: 'disable', PGGSSENCMODE: 'disable' },
    }),
    address: (host, port, { dbUser, dbName }) =>
      `postgresql://${encoded(dbUser)}@${host}:${port}/${encoded(dbName)}?sslmode=disable`,
  },
  mysql: {
    programs: ['mariadb', 'mysql'],
    from: 'the Debian package mariadb-client',
    socket: {
      file: 'mysql.sock',
      leading: (folder, { dbUser, dbName }) => ['-S', `${folder}/mysql.sock`, '-u', dbUser, '-D', dbName],
    },
    variables: (MYSQL_HOST, MYSQL_TCP_PORT) => ({ MYSQL_HOST, MYSQL_TCP_PORT }),
    address: (host, port, { dbUser, dbName }) => `mysql://${encoded(dbUser)}@${host}:${port}/${encoded(dbName)}`,
  },
  redis: {
    programs: ['redis-cli'],
    from: 'the Debian package redis-tools',
    socket: {
      file: 'redis.sock',
      leading: (folder, { dbName }) => ['-s', `${folder}/redis.sock`, ...(dbName === '0' ? [] : ['-n', dbName])],
    },
    variables: (host, port, { dbName }) => ({ REDIS_URL: `redis://${host}:${port}/${dbName}` }),
    address: (host, port, { dbName }) => `redis://${host}:${port}/${dbName}`,
  },
  mongodb: {
    programs: ['mongosh'],
    from: 'the npm package mongosh',
    socket: {
      file: 'mongodb.sock',
      leading: (folder, { dbName }) => [
        `mongodb://${encoded(`${folder}/mongodb.sock`)}/${encoded(dbName)}?directConnection=true`,
      ],
    },
    variables: (host, port, { dbName }) => ({
      MONGODB_URI: `mongodb://${host}:${port}/${encoded(dbName)}?directConnection=true`,
    }),
    address: (host, port, { dbName }) => `mongodb://${host}:${port}/${encoded(dbName)}?directConnection=true`,
  },
  sqlserver: {
    programs: ['tsql'],
    from: 'the Debian package freetds-bin',
    // It asks for a password otherwise; what it is told of one is ignored.
    byPort: (host, port, { dbUser, dbName }) => ['-H', host, '-p', port, '-U', dbUser, '-P', '-', '-D', dbName],
    variables: (host, port) => ({ TDSHOST: host, TDSPORT: port, TDSVER: '7.4' }),
    address: (host, port, { dbUser, dbName }) =>
      `sqlserver://${encoded(dbUser)}@${host}:${port}?database=${encoded(dbName)}&encrypt=disable`,
  },
};

/** The protocols in which sessions with databases are served. */
import type { DbProtocol } from '@gatehouse/contract/kinds/db/db-address';
import { serveMongodb } from './serve-mongodb.ts';
import { serveMysql } from './serve-mysql.ts';
import { servePostgres } from './serve-postgres.ts';
import { serveRedis } from './serve-redis.ts';
import { serveSqlserver } from './serve-sqlserver.ts';
import type { ServeDeps, Served } from './served.ts';
import { tellMongodb } from './tell-mongodb.ts';
import { tellMysql } from './tell-mysql.ts';
import { tellPostgres } from './tell-postgres.ts';
import { tellRedis } from './tell-redis.ts';
import { tellSqlserver } from './tell-sqlserver.ts';
import type { StatementTelling } from './tell-statements.ts';

export type ServeProtocol = (deps: ServeDeps<StatementTelling>) => Served;

export const SERVE_PROTOCOLS: Readonly<Record<DbProtocol, ServeProtocol>> = {
  postgres: (deps) => servePostgres(speaking(deps, tellPostgres)),
  mysql: (deps) => serveMysql(speaking(deps, tellMysql)),
  mongodb: (deps) => serveMongodb(speaking(deps, tellMongodb)),
  sqlserver: (deps) => serveSqlserver(speaking(deps, tellSqlserver)),
  redis: (deps) => serveRedis(speaking(deps, tellRedis)),
};

function speaking<Teller>(
  deps: ServeDeps<StatementTelling>,
  inWords: (telling: StatementTelling) => Teller,
): ServeDeps<Teller> {
  return { ...deps, teller: (backend) => inWords(deps.teller(backend)) };
}

/** Where a database is, as people write it. Parsed once, here: whatever checks, dials or shows an address asks this. */

export const DB_PROTOCOLS = ['postgres', 'mysql', 'mongodb', 'sqlserver', 'redis'] as const;
export type DbProtocol = (typeof DB_PROTOCOLS)[number];

export const DB_PROTOCOL_TITLES: Readonly<Record<DbProtocol, string>> = {
  postgres: 'PostgreSQL',
  mysql: 'MySQL/MariaDB',
  mongodb: 'MongoDB',
  sqlserver: 'SQL Server',
  redis: 'Redis',
};

export const USUAL_PORTS: Readonly<Record<DbProtocol, number>> = {
  postgres: 5432,
  mysql: 3306,
  mongodb: 27_017,
  sqlserver: 1433,
  redis: 6379,
};
const SCHEMES: ReadonlyMap<string, DbProtocol> = new Map([
  ['postgres', 'postgres'],
  ['postgresql', 'postgres'],
  ['mysql', 'mysql'],
  ['mariadb', 'mysql'],
  ['mongodb', 'mongodb'],
  ['sqlserver', 'sqlserver'],
  ['mssql', 'sqlserver'],
  ['redis', 'redis'],
  ['rediss', 'redis'],
]);

/** Titles and rules read it; never entered by anybody. */
export const DB_TYPES = ['self-hosted', 'rds', 'redshift', 'gcp'] as const;
export type DbType = (typeof DB_TYPES)[number];

export interface DbHost {
  /** Lower case; IPv6 without brackets. */
  host: string;
  port: number;
}

export interface DbAddress {
  /** One, but for the members of a replica set. */
  hosts: readonly DbHost[];
  replicaSet: string;
}

export type ParsedDbUri = { address: DbAddress; protocol: DbProtocol } | { wrong: string };

const MAX_HOSTS = 16;
const HOST = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9](?:[a-z0-9._-]{0,251}[a-z0-9])?)(?::([1-9]\d{0,4}))?$/i;

/** `protocol` where it is said beside the address; without it, the scheme says it. */
export function parseDbUri(uri: string, protocol?: DbProtocol): ParsedDbUri {
  if ([...uri].some((character) => character <= ' ' || character > '~' || character === '\\'))
    return { wrong: 'holds spaces, backslashes or characters that no address has' };
  const [, scheme, rest = uri] = /^([a-z][a-z0-9+]*):\/\/(.*)$/i.exec(uri) ?? [];
  const said = scheme === undefined ? undefined : SCHEMES.get(scheme.toLowerCase());
  if (scheme?.toLowerCase() === 'mongodb+srv')
    return { wrong: 'leaves the hosts to the DNS: write mongodb:// and the hosts themselves' };
  if (scheme !== undefined && said === undefined)
    return {
      wrong: `begins with '${scheme}://': it may begin with nothing, or with one of ${[...SCHEMES.keys()].join(', ')}`,
    };
  const spoken = protocol ?? said;
  if (spoken === undefined) return { wrong: 'names no protocol: write it like postgres://HOST:PORT' };
  if (said !== undefined && said !== spoken)
    return { wrong: `begins with '${scheme}://', and the protocol is '${spoken}'` };
  return parseRest(rest, spoken);
}

function parseRest(rest: string, protocol: DbProtocol): ParsedDbUri {
  const [, authority = '', path = '', query = ''] = /^([^/?#]*)([^?#]*)(.*)$/.exec(rest) ?? [];
  // Anywhere: a password with a slash would pass for a path otherwise, and what is refused is named.
  if (rest.includes('@')) return { wrong: 'holds a name or password: those do not belong into an address' };
  if (path !== '' && path !== '/') return { wrong: 'holds a path: the database is named apart from the address' };
  const parameters = readParameters(query);
  const unknown = [...parameters.keys()].find((name) => !(protocol === 'mongodb' && name === 'replicaSet'));
  if (unknown !== undefined || query.startsWith('#'))
    return { wrong: `holds '${unknown ?? '#'}', which nothing here reads` };
  const texts = authority.split(',');
  if (texts.length > 1 && protocol !== 'mongodb') return { wrong: 'names several hosts, which only MongoDB has' };
  if (texts.length > MAX_HOSTS) return { wrong: `names more than ${MAX_HOSTS} hosts` };
  const hosts = texts.map((text) => parseHost(text, protocol));
  const known = hosts.filter((each) => each !== undefined);
  if (known.length < hosts.length) return { wrong: 'must look like HOST:PORT' };
  return { protocol, address: { hosts: known, replicaSet: parameters.get('replicaSet') ?? '' } };
}

/** `?a=b&c=d`, as they stand: nothing that is read here needs to be escaped. */
function readParameters(query: string): ReadonlyMap<string, string> {
  const pairs = query.replace(/^\?/, '').split('&');
  return new Map(pairs.flatMap((pair) => (pair === '' ? [] : [cutAt(pair, pair.indexOf('='))])));
}

function cutAt(pair: string, at: number): readonly [name: string, value: string] {
  return at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)];
}

function parseHost(text: string, protocol: DbProtocol): DbHost | undefined {
  const [whole, host = '', given] = HOST.exec(text) ?? [];
  const port = Number(given ?? USUAL_PORTS[protocol]);
  if (whole === undefined || port > 65_535) return undefined;
  return { host: host.replace(/^\[(.*)\]$/, '$1').toLowerCase(), port };
}

/** `HOST:PORT` as it is dialled; IPv6 in brackets. */
export function dbDialAddress({ host, port }: DbHost): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** In China the region stands behind: `NAME.ID.rds.cn-north-1.amazonaws.com.cn`. */
const RDS = /\.rds\.(?:amazonaws\.com(?:\.cn)?|cn-[a-z]+-\d+\.amazonaws\.com\.cn)$/;
const REDSHIFT = /\.redshift\.amazonaws\.com(?:\.cn)?$/;

/** Whose it is; `isGoogle`: it is said to be an instance of Cloud SQL, whose address tells nothing. */
export function dbType({ hosts }: Pick<DbAddress, 'hosts'>, isGoogle: boolean): DbType {
  const { host = '' } = hosts[0] ?? {};
  if (RDS.test(host)) return 'rds';
  if (REDSHIFT.test(host)) return 'redshift';
  return isGoogle ? 'gcp' : 'self-hosted';
}

/** What the list calls it. */
export function dbTitle(type: string, protocol: DbProtocol): string {
  const name = DB_PROTOCOL_TITLES[protocol];
  if (type === 'redshift') return 'Redshift';
  const titles: Readonly<Record<string, string>> = { rds: 'RDS', 'self-hosted': 'Self-hosted', gcp: 'Cloud SQL' };
  return `${titles[type] ?? type} ${name}`;
}

/** The database that is meant where nobody names one; empty: one must be named. */
export function usualDatabase(protocol: DbProtocol, database = ''): string {
  return database || (protocol === 'redis' ? '0' : '');
}

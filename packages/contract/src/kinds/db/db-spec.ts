/** What the inventory keeps about a database, beside its name and labels, and which of it may be written how. */
import { z } from 'zod';
import { isLineText, STEERING } from '../../std/line-text.ts';
import { hostLabel, hostName, pemCertificates } from '../../std/resource-fields.ts';
import { comparedHost, isComparedLoopback } from '../../std/same-host.ts';
import { DB_PROTOCOLS, type DbType, dbTitle, dbType, parseDbUri } from './db-address.ts';

/** The first part of its host name, for programs that tell by it which database they mean. */
export const dbName = hostLabel;

/** `verify-ca` leaves the name of the certificate out; `insecure` checks nothing, `off` encrypts nothing: both are marked wherever it is listed. */
export const DB_TLS_MODES = ['verify-full', 'verify-ca', 'insecure', 'off'] as const;
export const DB_SIGN_INS = ['certificate', 'password', 'aws', 'gcp'] as const;

/** A user or a database, as the server calls it. */
export const dbPrincipal = z.string().min(1).max(128).refine(isLineText, STEERING);

/** Those that clouds let in by what is good for minutes. */
const CLOUD_PROTOCOLS: ReadonlySet<string> = new Set(['postgres', 'mysql']);

/** Where users are made on the fly. */
const MAKING_PROTOCOLS: ReadonlySet<string> = new Set(['postgres', 'mysql']);

const MAX_WEB_ROWS = 100_000;
const MAX_STATEMENT_MS = 24 * 3_600_000;

export const dbTls = z.strictObject({
  mode: z.enum(DB_TLS_MODES).default('verify-full'),
  /** Authorities that may vouch for it; empty: those the gateway signs servers with, and those the system knows. */
  ca: z.union([z.literal(''), pemCertificates]).default(''),
  /** What its certificate must be good for, where that is not the host in the address. */
  serverName: z.union([z.literal(''), hostName]).default(''),
});

export const dbLimits = z.strictObject({
  /** 0: as the server has it. */
  statementTimeoutMs: z.number().int().min(0).max(MAX_STATEMENT_MS).default(0),
  /** How many rows the workbench shows before it asks for more. */
  webRows: z.number().int().min(1).max(MAX_WEB_ROWS).default(1_000),
  /** Run at each sign-in, before anything else. */
  initSql: z.array(z.string().min(1).max(4_096)).max(16).default([]),
});

export const dbAws = z.strictObject({
  account: z
    .string()
    .regex(/^(?:\d{12})?$/, 'must be the 12 digits of an account')
    .default(''),
  region: z
    .string()
    .regex(/^[a-z0-9-]{0,32}$/, 'is no region')
    .default(''),
  /** Of an instance of RDS: `db-…`. */
  resourceId: z
    .string()
    .regex(/^[A-Za-z0-9-]{0,64}$/, 'is no resource id')
    .default(''),
  /** Of a cluster of Redshift. */
  clusterId: z
    .string()
    .regex(/^[a-z0-9-]{0,63}$/, 'is no cluster')
    .default(''),
  roleArn: z
    .string()
    .max(2_048)
    .regex(/^(?:arn:[^\s]+)?$/, 'is no ARN')
    .default(''),
  externalId: z.string().max(1_224).default(''),
});

export const dbGcp = z.strictObject({
  project: z
    .string()
    .regex(/^[a-z0-9:.-]{0,63}$/, 'is no project')
    .default(''),
  instance: z
    .string()
    .regex(/^[a-z0-9-]{0,98}$/, 'is no instance')
    .default(''),
});

/** Who makes users on the fly there; without a name nobody does. */
export const dbAdminUser = z.strictObject({
  name: z.union([z.literal(''), dbPrincipal]).default(''),
  /** Of PostgreSQL: the database that it signs in to, `postgres` unless told. Records that lead to one server name the same one: who is let in there is locked in it. */
  database: z.union([z.literal(''), dbPrincipal]).default(''),
});

/** Beside name and labels, everything that is written about one: by an administrator, or by an agent's configuration. */
export const dbFields = {
  description: z.string().max(500).default(''),
  protocol: z.enum(DB_PROTOCOLS),
  uri: z.string().max(2_048),
  tls: dbTls.prefault({}),
  /** Without it, what its type is signed in to by. */
  signIn: z.enum(DB_SIGN_INS).optional(),
  /** The one that is used where nobody names one. */
  database: z.union([z.literal(''), dbPrincipal]).default(''),
  /** The only ones there are to choose from; none: whatever roles give. They narrow roles, and never widen them. */
  users: z.array(dbPrincipal).max(100).default([]),
  names: z.array(dbPrincipal).max(100).default([]),
  limits: dbLimits.prefault({}),
  readOnly: z.boolean().default(false),
  /** Whether values that are bound to statements are told. */
  values: z.enum(['kept', 'hidden']).default('kept'),
  aws: dbAws.prefault({}),
  gcp: dbGcp.prefault({}),
  adminUser: dbAdminUser.prefault({}),
} as const;

type WrittenDb = z.output<z.ZodObject<typeof dbFields>>;
export type DbSignIn = (typeof DB_SIGN_INS)[number];

/** With the checks that look at several fields at once: each error stands at its field. */
export const offeredDbSpec = z.object(dbFields).superRefine((db, context) => {
  for (const [path, message] of wrongWith(db)) context.addIssue({ code: 'custom', path: [...path], message });
});
export type OfferedDbSpec = z.output<typeof offeredDbSpec>;

/** What is stored; only what was entered by hand names agents that dial it. */
const storedDb = z.object({
  ...dbFields,
  /** Ids of agents that reach it, each of which will do; none: a database service whose labels fit, else the gateway. */
  through: z.array(z.string().max(64)).max(16).default([]),
  /** Changes with its passwords, which are stored beside it and sealed. */
  mark: z.string().max(64).default(''),
});
export const dbSpec = storedDb.superRefine((db, context) => {
  for (const [path, message] of wrongWith(db)) context.addIssue({ code: 'custom', path: [...path], message });
});
export type DbSpec = z.output<typeof dbSpec>;

export interface StoredDb {
  spec: DbSpec;
  /** Why nobody is let in by it until somebody changes it; empty where nothing is wrong. */
  wrong: string;
  /** What could not be read at all stands as if nobody had said it. */
  isPartial: boolean;
}

/** What was stored may be older than a rule that it breaks: it is read as far as it can be, so that it is seen and changed. */
export function readStoredDb(stored: unknown): StoredDb {
  const read = dbSpec.safeParse(stored);
  if (read.success) return { spec: read.data, wrong: '', isPartial: false };
  const [issue] = read.error.issues;
  const wrong = `${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim();
  const fields = storedDb.safeParse(stored);
  if (fields.success) return { spec: fields.data, wrong, isPartial: false };
  const given = typeof stored === 'object' && stored !== null ? Object.entries(stored) : [];
  const shape: Readonly<Record<string, z.ZodType>> = storedDb.shape;
  const readable = given.filter(([name, value]) => shape[name]?.safeParse(value).success);
  const spec = storedDb.parse({ protocol: 'postgres', uri: '', ...Object.fromEntries(readable) });
  return { spec, wrong, isPartial: true };
}

function* wrongWith(db: WrittenDb): Generator<readonly [path: readonly string[], message: string]> {
  const parsed = parseDbUri(db.uri, db.protocol);
  if ('wrong' in parsed) {
    yield [['uri'], parsed.wrong];
    return;
  }
  const { mode } = db.tls;
  const signIn = signInOf(db);
  if (signIn === 'certificate' && mode === 'off')
    yield [['tls', 'mode'], 'is off, and a certificate is shown inside TLS: sign in by password, or let it be on'];
  if ((signIn === 'aws' || signIn === 'gcp') && mode !== 'verify-full' && mode !== 'verify-ca')
    yield [['tls', 'mode'], `is '${mode}', and whoever is in between could use what '${signIn}' signs in with`];
  if (mode === 'off' && (db.tls.ca !== '' || db.tls.serverName !== ''))
    yield [['tls', 'mode'], 'is off: an authority or a server name says nothing then'];
  if (mode === 'verify-ca' && db.tls.ca === '')
    yield [['tls', 'ca'], "is empty, and with 'verify-ca' anybody whom the system trusts would pass for this database"];
  const type = typeOf(db);
  if (signIn === 'aws' && type !== 'rds' && type !== 'redshift')
    yield [['signIn'], "is 'aws', and the address is none of RDS or Redshift"];
  if ((signIn === 'aws' || signIn === 'gcp') && !CLOUD_PROTOCOLS.has(db.protocol))
    yield [['signIn'], `is '${signIn}', by which only PostgreSQL and MySQL can be signed in to: say 'password'`];
  if (signIn === 'gcp' && type !== 'gcp')
    yield [['signIn'], "is 'gcp', and no instance of Cloud SQL is named: give gcp.project and gcp.instance"];
  if (db.database !== '' && db.names.length > 0 && !db.names.includes(db.database))
    yield [['database'], `'${db.database}' is not among the names that may be chosen`];
  if (db.protocol === 'redis' && !/^\d{0,5}$/.test(db.database))
    yield [['database'], 'must be a number: databases of Redis have no other names'];
  const { adminUser } = db;
  if (adminUser.name !== '' && !MAKING_PROTOCOLS.has(db.protocol))
    yield [['adminUser', 'name'], 'makes users, which is done for PostgreSQL, MySQL and MariaDB alone'];
  if (adminUser.name !== '' && (signIn === 'aws' || signIn === 'gcp'))
    yield [['adminUser', 'name'], `makes users, which is not done where '${signIn}' signs in: say 'password'`];
  if (adminUser.name === '' && adminUser.database !== '')
    yield [['adminUser', 'database'], 'is where the admin user signs in, and none is named'];
  if (adminUser.database !== '' && db.protocol === 'mysql')
    yield [['adminUser', 'database'], 'is for PostgreSQL alone: with MySQL nobody signs in to one'];
  if (db.limits.initSql.length > 0 && (db.protocol === 'redis' || db.protocol === 'mongodb'))
    yield [['limits', 'initSql'], 'is SQL, which this protocol does not speak'];
}

/** Derived, never entered. */
export function typeOf({ uri, protocol, gcp }: Pick<WrittenDb, 'uri' | 'protocol' | 'gcp'>): DbType {
  const parsed = parseDbUri(uri, protocol);
  return 'wrong' in parsed ? 'self-hosted' : dbType(parsed.address, gcp.project !== '' && gcp.instance !== '');
}

export function signInOf(db: Pick<WrittenDb, 'signIn' | 'uri' | 'protocol' | 'gcp'>): DbSignIn {
  if (db.signIn !== undefined) return db.signIn;
  const type = typeOf(db);
  // Its engine knows no other.
  if (db.protocol === 'sqlserver') return 'password';
  if (type === 'self-hosted') return 'certificate';
  if (!CLOUD_PROTOCOLS.has(db.protocol)) return 'password';
  return type === 'gcp' ? 'gcp' : 'aws';
}

const server = z.object({
  protocol: z.enum(DB_PROTOCOLS),
  tls: z.object({ serverName: z.string().default(''), ca: z.string().default('') }).prefault({}),
});

const titled = z.object({
  protocol: z.enum(DB_PROTOCOLS),
  gcp: z.object({ project: z.string().default(''), instance: z.string().default('') }).prefault({}),
});

/** What lists call it, and are sorted by; empty where that cannot be told. */
export function dbTitleOf(uri: string, spec: unknown): string {
  const { data } = titled.safeParse(spec);
  return data ? dbTitle(typeOf({ uri, ...data }), data.protocol) : '';
}

/**
 * What says which server somebody is let into: the hosts it is dialled at, and the name its certificate must have. Without ports: a
 * certificate proves none, and an agent dials where it likes. Loopback is each machine's own only where the certificate tells those
 * apart: by another name, or by an authority of its own.
 */
export function dbServerKeys(uri: string, spec: unknown): readonly string[] {
  const { data } = server.safeParse(spec);
  const parsed = data && parseDbUri(uri, data.protocol);
  if (!parsed || 'wrong' in parsed) return [];
  const { serverName, ca } = data.tls;
  const named = serverName === '' ? [] : [comparedHost(serverName)];
  const isToldApart = ca !== '' || named.some((name) => !isComparedLoopback(name));
  const hosts = [...parsed.address.hosts.map(({ host }) => comparedHost(host)), ...named];
  return [...new Set(hosts)].filter((host) => !isToldApart || !isComparedLoopback(host));
}

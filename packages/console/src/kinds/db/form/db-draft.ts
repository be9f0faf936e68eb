/** What a form about a database holds, as it is typed; and the way from there to what the gateway takes, and back. */
import { type DatabaseDetails, type NewDatabase, newDatabase } from '@gatehouse/contract/kinds/db/databases';
import { type DbProtocol, type DbType, dbDialAddress, parseDbUri } from '@gatehouse/contract/kinds/db/db-address';
import {
  type DB_TLS_MODES,
  type DbSignIn,
  dbName,
  dbPrincipal,
  offeredDbSpec,
  signInOf,
  typeOf,
} from '@gatehouse/contract/kinds/db/db-spec';
import { labelsOf, wrongPair } from '../../../shared/enrolment/label-pair.ts';
import type { Checked } from '../../../shared/resource-form/use-resource-form.ts';

export type TlsMode = (typeof DB_TLS_MODES)[number];

const AWS = { account: '', region: '', resourceId: '', clusterId: '', roleArn: '', externalId: '' };
const GCP = { project: '', instance: '' };

export interface DbDraft {
  name: string;
  protocol: DbProtocol;
  uri: string;
  description: string;
  labels: readonly string[];
  tlsMode: TlsMode;
  ca: string;
  serverName: string;
  signIn: DbSignIn;
  /** Whose password is stored with it, where it is new. */
  dbUser: string;
  password: string;
  database: string;
  users: readonly string[];
  names: readonly string[];
  /** Who makes users on the fly; empty: nobody. */
  adminUser: string;
  adminDatabase: string;
  readOnly: boolean;
  hidesValues: boolean;
  /** In seconds; empty: as the server has it. */
  statementTimeout: string;
  webRows: string;
  /** One statement to a line. */
  initSql: string;
  /** Names of agents; none: the gateway dials. */
  through: readonly string[];
  aws: typeof AWS;
  gcp: typeof GCP;
}

export const EMPTY_DRAFT: DbDraft = {
  name: '',
  protocol: 'postgres',
  uri: '',
  description: '',
  labels: [],
  tlsMode: 'verify-full',
  ca: '',
  serverName: '',
  signIn: 'password',
  dbUser: '',
  password: '',
  database: '',
  users: [],
  names: [],
  adminUser: '',
  adminDatabase: '',
  readOnly: false,
  hidesValues: false,
  statementTimeout: '',
  webRows: '1000',
  initSql: '',
  through: [],
  aws: AWS,
  gcp: GCP,
};

const MS = 1_000;

export function draftOf(details: DatabaseDetails): DbDraft {
  const { protocol, uri, description, tls, database, users, names, readOnly, limits, through, aws, gcp } = details;
  return {
    ...EMPTY_DRAFT,
    ...{ protocol, uri, description, database, users, names, readOnly, through, aws, gcp },
    name: details.item.name,
    labels: Object.entries(details.labels).map(([name, value]) => `${name}=${value}`),
    tlsMode: tls.mode,
    ca: tls.ca,
    serverName: tls.serverName,
    signIn: signInOf(details),
    adminUser: details.adminUser.name,
    adminDatabase: details.adminUser.database,
    hidesValues: details.values === 'hidden',
    statementTimeout: limits.statementTimeoutMs === 0 ? '' : String(limits.statementTimeoutMs / MS),
    webRows: String(limits.webRows),
    initSql: limits.initSql.join('\n'),
  };
}

export interface WantedDb {
  database: NewDatabase;
  /** To be stored with it. */
  secret: { dbUser: string; password: string } | undefined;
}

/** The words are the contract's own, so that form, command line and gateway say the same. Fields are `uri`, `tls.ca`, `aws.account` and the like. */
export function checkDraft(draft: DbDraft): Checked<WantedDb> {
  const faults: Record<string, string> = {};
  const wrongLabel = wrongPair(draft.labels);
  if (wrongLabel !== undefined) faults.labels = wrongLabel;
  const { name, labels, ...fields } = bodyOf(draft);
  const body = newDatabase.safeParse({ name, labels, ...fields });
  const spec = offeredDbSpec.safeParse(fields);
  for (const issue of [...(body.error?.issues ?? []), ...(spec.error?.issues ?? [])])
    faults[issue.path.map(String).slice(0, 2).join('.')] ??= messageOf(issue);
  const secret = secretOf(draft);
  if (secret && !dbPrincipal.safeParse(secret.dbUser).success) faults.dbUser = 'name the user whose password it is';
  if (secret?.password === '') faults.password = 'the password is missing';
  if (Object.keys(faults).length > 0 || !body.success) return { faults };
  return { wanted: { database: { name, labels, ...fields }, secret } };
}

/** Nothing where neither was typed: passwords can be stored later. */
function secretOf({ signIn, dbUser, password }: DbDraft): WantedDb['secret'] {
  const user = dbUser.trim();
  return signIn === 'password' && (user !== '' || password !== '') ? { dbUser: user, password } : undefined;
}

function bodyOf(draft: DbDraft) {
  const { protocol, signIn, through, readOnly, users, names } = draft;
  const hasTls = draft.tlsMode !== 'off';
  const ca = draft.ca.trim();
  return {
    ...{ protocol, signIn, readOnly },
    name: draft.name.trim(),
    uri: draft.uri.trim(),
    description: draft.description.trim(),
    labels: Object.entries(labelsOf(draft.labels)).map(([name, value]) => ({ name, value })),
    tls: {
      mode: draft.tlsMode,
      ca: hasTls && ca !== '' ? `${ca}\n` : '',
      serverName: hasTls ? draft.serverName.trim() : '',
    },
    database: draft.database.trim(),
    users: [...users],
    names: [...names],
    limits: {
      statementTimeoutMs: draft.statementTimeout.trim() === '' ? 0 : Math.round(Number(draft.statementTimeout) * MS),
      webRows: Number(draft.webRows),
      initSql: draft.initSql
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== ''),
    },
    values: draft.hidesValues ? ('hidden' as const) : ('kept' as const),
    adminUser: { name: draft.adminUser.trim(), database: draft.adminDatabase.trim() },
    aws: trimmed(draft.aws),
    gcp: trimmed(draft.gcp),
    through: [...through],
  };
}

function trimmed<T extends Record<string, string>>(texts: T): T {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, text.trim()])) as T;
}

/** Fields that may be empty are read by two schemas, and only what the second says is worth reading. */
function messageOf(issue: { message: string; errors?: { message: string }[][] }): string {
  return issue.errors?.at(-1)?.[0]?.message ?? issue.message;
}

/** What would be dialled; nothing while it is not an address. */
export function addressOf({ uri, protocol }: DbDraft): readonly string[] | undefined {
  const parsed = parseDbUri(uri.trim(), protocol);
  return 'wrong' in parsed ? undefined : parsed.address.hosts.map(dbDialAddress);
}

/** Somebody who pastes an address with its scheme has said the protocol. */
export function protocolOf(uri: string): DbProtocol | undefined {
  const parsed = parseDbUri(uri.trim());
  return 'wrong' in parsed ? undefined : parsed.protocol;
}

export function draftType({ uri, protocol, gcp }: DbDraft): DbType {
  return typeOf({ uri: uri.trim(), protocol, gcp });
}

/** A name to begin with, from the address: `shop.inside:5432` is probably called shop. */
export function guessName(draft: DbDraft): string {
  const [host = ''] = addressOf(draft) ?? [];
  const [first = ''] = host.split(/[.:]/, 1);
  return /^[a-z](?:[a-z0-9-]*[a-z0-9])?$/.test(first) && first !== 'localhost' ? first : '';
}

/** Whether what was stored for the one is of no use to the other: passwords are good for an address, its TLS and the agents that dial it. */
export function isElsewhere(before: DbDraft, after: DbDraft): boolean {
  const target = (draft: DbDraft) => {
    const { uri, tls, through } = bodyOf(draft);
    return JSON.stringify([addressOf(draft) ?? uri, tls, [...through].sort()]);
  };
  return target(before) !== target(after);
}

/** As a test of the way there wants it; nothing while it is not an address. Half of a sign-in is none: it would only be a failed one at the database. */
export function testOf(draft: DbDraft) {
  const isWhole = draft.dbUser.trim() !== '' && draft.password !== '';
  const typed = isWhole ? {} : { dbUser: '', password: '' };
  // They say which agents would be asked.
  const labels = wrongPair(draft.labels) === undefined ? draft.labels : [];
  const { wanted } = checkDraft({ ...draft, ...typed, name: 'x', labels });
  if (!wanted) return undefined;
  const { name: _, awsRds: _aws, through = [], ...database } = wanted.database;
  const name = draft.name.trim();
  const named = dbName.safeParse(name).success ? { name } : {};
  const secret: { dbUser?: string; password?: string } = wanted.secret ?? {};
  const spec = { ...named, ...database, ...secret };
  return { kind: 'db', spec, ...(through[0] === undefined ? {} : { through: through[0] }) };
}

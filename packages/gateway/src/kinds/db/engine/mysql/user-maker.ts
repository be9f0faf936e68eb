/** Makes users of MySQL and MariaDB on the fly, gives and takes their roles, and shuts them again. */
import type { Duplex } from 'node:stream';
import { DbFailure } from '../db-failure.ts';
import type { ServerTerms } from '../server-terms.ts';
import {
  couldNot,
  digestOf,
  isSame,
  type LetIn,
  LOCK_SECONDS,
  type MadeUserTerms,
  newSecret,
  notOurs,
  otherRoles,
  refuseName,
  refuseOwnRole,
  type UserMaker,
  whenFree,
} from '../user-maker.ts';
import { bytesOf, MysqlAsker, PLAIN_DIALECT, quotedName } from './ask-rows.ts';
import { meetServer } from './greeting.ts';
import { signIn } from './sign-in.ts';

/** In bytes, and so in no more characters than the server has room for. */
const MAX_NAME_BYTES = { mysql: 32, mariadb: 80 };
const RESERVED =
  /^(?:gatehouse:.*|mysql\..*|mariadb\.sys|public|none|current_user|current_role|event_scheduler|system user|unauthenticated user)$/i;
/** Outside of these, tables of users have no characters. */
const BEYOND = /[\u{10000}-\u{10ffff}]/u;
const SEES_ALL = /^GRANT (?=.*\b(?:PROCESS|ALL PRIVILEGES)\b).* ON \*\.\* TO /;

/** `\` stands for itself from then on. */
const FIRST = ["SET SESSION sql_mode = 'NO_BACKSLASH_ESCAPES'", 'SET NAMES utf8mb4'];

/** Where the server keeps who has which role. */
interface Edges {
  table: string;
  role: string;
  user: string;
  host: string;
  /** What a role has for a host where it is given roles itself. */
  roleHost: string;
}
const MARIADB: Edges = { table: 'mysql.roles_mapping', role: 'Role', user: 'User', host: 'Host', roleHost: '' };
const MYSQL: Edges = { table: 'mysql.role_edges', role: 'FROM_USER', user: 'TO_USER', host: 'TO_HOST', roleHost: '%' };

/** The role of one person, which has what they are given: MariaDB lets nobody use two at once. Whoever has it was made here. */
export function ownRole(user: string): string {
  return `gatehouse:${digestOf(user).toString('hex').slice(0, 22)}`;
}

export async function mysqlMaker(
  bare: Duplex,
  adminTerms: ServerTerms,
  terms: MadeUserTerms,
  signal: AbortSignal,
): Promise<UserMaker> {
  const met = await meetServer(bare, signal);
  const isMariadb = met.greeting.version.includes('MariaDB');
  refuseName(terms, isMariadb ? MAX_NAME_BYTES.mariadb : MAX_NAME_BYTES.mysql, RESERVED);
  if (BEYOND.test(terms.user))
    throw new DbFailure(
      'refused',
      `no database user is made for '${terms.user}': the database has no such characters in names`,
    );
  const signedIn = await signIn(met, { ...adminTerms, database: '' }, PLAIN_DIALECT, signal);
  const asker = new MysqlAsker(signedIn, signal);
  for (const sql of FIRST) await asker.ask(sql);
  const grants = await asker.ask('SHOW GRANTS');
  // Of other people's connections it would see none, and take somebody who is in for somebody who is not.
  if (!grants.some(([grant]) => SEES_ALL.test(grant ?? '')))
    throw new DbFailure('refused', `the admin user '${terms.admin}' does not see who is connected`, {
      next: `run there: GRANT PROCESS ON *.* TO ${quotedName(terms.admin)}@…`,
    });
  const [locked] = await asker.ask(`SELECT GET_LOCK('${ownRole(terms.user)}', ${LOCK_SECONDS})`);
  if (locked?.[0] !== '1')
    throw new DbFailure('refused', `other connections of '${terms.user}' are being let in or out: try again`);
  return new MysqlMaker(asker, terms, isMariadb ? MARIADB : MYSQL, () => bare.destroy());
}

interface State {
  isThere: boolean;
  isOurs: boolean;
  /** Of the person's own role. */
  roles: readonly string[];
  /** That they have beside it. */
  beside: readonly string[];
  isBusy: boolean;
}

class MysqlMaker implements UserMaker {
  readonly #asker: MysqlAsker;
  readonly #terms: MadeUserTerms;
  readonly #edges: Edges;
  readonly #destroy: () => void;
  readonly #user: string;
  readonly #role: string;

  constructor(asker: MysqlAsker, terms: MadeUserTerms, edges: Edges, destroy: () => void) {
    this.#asker = asker;
    this.#terms = terms;
    this.#edges = edges;
    this.#destroy = destroy;
    this.#user = `${quotedName(terms.user)}@'%'`;
    this.#role = ownRole(terms.user);
  }

  async letIn(roles: readonly string[], noted: () => Promise<void>): Promise<LetIn> {
    const { user } = this.#terms;
    refuseOwnRole(this.#terms, roles);
    const state = await whenFree(() => this.#state(), roles);
    this.#requireOurs(state);
    if (state.isBusy && !isSame(state.roles, roles)) throw otherRoles(user, state.roles);
    await noted();
    await this.#make(state, roles).catch((error: unknown) => {
      throw couldNot(error, this.#terms, 'make or change the user');
    });
    const { roles: held, beside } = await this.#state();
    const more = [...held.filter((role) => !roles.includes(role)), ...beside];
    if (more.length > 0)
      throw new DbFailure(
        'refused',
        `'${user}' has the roles ${more.join(', ')} of somebody else than the admin user`,
        {
          next: `take them there: ${more.map((role) => `REVOKE ${quotedName(role)} FROM ${this.#user}`).join('; ')}`,
        },
      );
    return { isNew: !state.isThere, credential: await this.#open() };
  }

  async letInAgain(): Promise<LetIn> {
    this.#requireOurs(await this.#state());
    return { isNew: false, credential: await this.#open() };
  }

  /** Who is in stays in. */
  async shut(): Promise<void> {
    await this.#asker.ask(`ALTER USER ${this.#user} IDENTIFIED BY '${newSecret()}' ACCOUNT LOCK`);
  }

  async letOut(isDropped: boolean): ReturnType<UserMaker['letOut']> {
    const state = await this.#state();
    if (!state.isThere || !state.isOurs) return 'gone';
    if (state.isBusy) return 'busy';
    try {
      await this.#asker.ask(`ALTER USER ${this.#user} ACCOUNT LOCK`);
      for (const role of state.roles) await this.#revoke(role);
      if (!isDropped || (await this.#defines())) return 'disabled';
      await this.#asker.ask(`DROP USER ${this.#user}`);
      await this.#asker.ask(`DROP ROLE ${quotedName(this.#role)}`);
      return 'dropped';
    } catch (error) {
      throw couldNot(error, this.#terms, 'disable the user');
    }
  }

  close(): void {
    this.#asker.leave();
    setImmediate(this.#destroy);
  }

  async #state(): Promise<State> {
    const { table, role, user, host, roleHost } = this.#edges;
    const name = bytesOf(this.#terms.user);
    const hosts = await this.#asker.ask(`SELECT Host FROM mysql.user WHERE CAST(User AS BINARY) = ${name}`);
    const held = await this.#asker.ask(
      `SELECT ${role} FROM ${table} WHERE CAST(${user} AS BINARY) = ${name} AND ${host} = '%'`,
    );
    const given = await this.#asker.ask(
      `SELECT ${role} FROM ${table} WHERE ${user} = '${this.#role}' AND ${host} = '${roleHost}'`,
    );
    const [busy] = await this.#asker.ask(
      `SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE CAST(USER AS BINARY) = ${name}`,
    );
    const names = held.map(([each]) => each ?? '');
    return {
      isThere: hosts.length > 0,
      // An account of that name for one host alone goes before ours.
      isOurs: names.includes(this.#role) && hosts.every(([each]) => each === '%'),
      roles: given.map(([each]) => each ?? '').sort(),
      beside: names.filter((each) => each !== this.#role).sort(),
      isBusy: busy?.[0] !== '0',
    };
  }

  #requireOurs({ isThere, isOurs }: State): void {
    if (!isThere || isOurs) return;
    throw notOurs(
      this.#terms.user,
      `GRANT ${quotedName(this.#role)} TO ${this.#user}, with no other account of that name`,
    );
  }

  /** Nothing of it can be taken back together: whoever stops in between leaves a user that is locked. */
  async #make(state: State, roles: readonly string[]): Promise<void> {
    const ask = (sql: string) => this.#asker.ask(sql);
    if (!state.isThere) {
      await ask(`CREATE ROLE IF NOT EXISTS ${quotedName(this.#role)}`);
      await ask(`CREATE USER ${this.#user} IDENTIFIED BY '${newSecret()}' ACCOUNT LOCK`);
      await ask(`GRANT ${quotedName(this.#role)} TO ${this.#user}`);
    }
    for (const role of state.beside) await ask(`REVOKE ${quotedName(role)} FROM ${this.#user}`);
    for (const role of state.roles.filter((each) => !roles.includes(each))) await this.#revoke(role);
    for (const role of roles.filter((each) => !state.roles.includes(each)))
      await ask(`GRANT ${quotedName(role)} TO ${quotedName(this.#role)}`);
  }

  async #revoke(role: string): Promise<void> {
    await this.#asker.ask(`REVOKE ${quotedName(role)} FROM ${quotedName(this.#role)}`);
  }

  /** With a secret also beside a certificate: both are asked for. */
  async #open(): Promise<LetIn['credential']> {
    const password = newSecret();
    const sql = `ALTER USER ${this.#user} IDENTIFIED BY '${password}' REQUIRE ${this.#required()} ACCOUNT UNLOCK`;
    await this.#asker.ask(sql).catch((error: unknown) => {
      throw couldNot(error, this.#terms, 'allow the sign-in');
    });
    return { method: 'password', password };
  }

  #required(): string {
    const { by, isEncrypted, user } = this.#terms;
    if (by.method !== 'certificate') return isEncrypted ? 'SSL' : 'NONE';
    const subject = `/O=${inSubject(by.organization)}/CN=${inSubject(user)}`;
    return `SUBJECT '${subject.replaceAll("'", "''")}'`;
  }

  /** What is called by the name of whoever made it would not run without them. Of what the admin user does not see, nothing is known. */
  async #defines(): Promise<boolean> {
    const definer = bytesOf(`${this.#terms.user}@%`);
    const places = ['VIEWS', 'ROUTINES', 'TRIGGERS', 'EVENTS'];
    const each = places.map(
      (place) => `SELECT 1 FROM information_schema.${place} WHERE CAST(DEFINER AS BINARY) = ${definer}`,
    );
    return (await this.#asker.ask(each.join(' UNION ALL '))).length > 0;
  }
}

/** As the server writes the subject of a certificate, byte by byte. */
export function inSubject(text: string): string {
  return [...Buffer.from(text)]
    .map((byte) =>
      byte >= 0x20 && byte <= 0x7e
        ? String.fromCharCode(byte)
        : `\\x${byte.toString(16).toUpperCase().padStart(2, '0')}`,
    )
    .join('');
}

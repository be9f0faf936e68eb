/** Makes users of PostgreSQL on the fly, gives and takes their roles, and shuts them again. */
import { createHash, createHmac, pbkdf2, randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { promisify } from 'node:util';
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
import { PostgresAsker, quotedName, quotedText } from './ask-rows.ts';
import { signIn } from './sign-in.ts';

const VERSION = 3 << 16;
/** As PostgreSQL itself has it: what is longer it cuts, and two names could become one. */
const MAX_NAME_BYTES = 63;
const RESERVED = /^(?:pg_.*|public|none|current_user|current_role|session_user)$/i;
/** Whoever is a member of it was made here. */
const MARK = 'gatehouse-auto-user';
const LOCK_NOT_AVAILABLE = '55P03';
/** It is there already, also where somebody else makes it at this moment. */
const IS_THERE: ReadonlySet<string | undefined> = new Set(['42710', '23505']);
const ROUNDS = 4_096;
const hashed = promisify(pbkdf2);

/** Without `search_path`, what somebody left in the admin user's database could stand for functions of the server's own. */
const FIRST = [
  'SET search_path = pg_catalog',
  `SET lock_timeout = ${LOCK_SECONDS * 1_000}`,
  'SET idle_in_transaction_session_timeout = 30000',
];

interface State {
  isThere: boolean;
  /** Beside the mark. */
  roles: readonly string[];
  isOurs: boolean;
  isBusy: boolean;
}

export async function postgresMaker(
  bare: Duplex,
  adminTerms: ServerTerms,
  terms: MadeUserTerms,
  signal: AbortSignal,
): Promise<UserMaker> {
  refuseName(terms, MAX_NAME_BYTES, RESERVED);
  const parameters = new Map([
    ['application_name', 'gatehouse users'],
    ['client_encoding', 'UTF8'],
  ]);
  const asker = new PostgresAsker(await signIn(bare, adminTerms, { version: VERSION, parameters }, signal), signal);
  for (const sql of FIRST) await asker.ask(sql);
  await asker.ask(`SELECT pg_advisory_lock(${lockKey(terms.user)})`).catch((error: unknown) => {
    if (error instanceof DbFailure && error.code === LOCK_NOT_AVAILABLE)
      throw new DbFailure('refused', `other connections of '${terms.user}' are being let in or out: try again`);
    throw error;
  });
  return new PostgresMaker(asker, terms, () => bare.destroy());
}

/** Of the whole name, in the 64 bits that such locks have. */
export function lockKey(user: string): bigint {
  return digestOf(`gatehouse-auto-user:${user}`).readBigInt64BE(0);
}

class PostgresMaker implements UserMaker {
  readonly #asker: PostgresAsker;
  readonly #terms: MadeUserTerms;
  readonly #destroy: () => void;
  readonly #name: string;

  constructor(asker: PostgresAsker, terms: MadeUserTerms, destroy: () => void) {
    this.#asker = asker;
    this.#terms = terms;
    this.#destroy = destroy;
    this.#name = quotedName(terms.user);
  }

  async letIn(roles: readonly string[], noted: () => Promise<void>): Promise<LetIn> {
    const { user } = this.#terms;
    refuseOwnRole(this.#terms, roles);
    const state = await whenFree(() => this.#state(), roles);
    this.#requireOurs(state);
    if (state.isBusy && !isSame(state.roles, roles)) throw otherRoles(user, state.roles);
    await noted();
    if (!state.isThere) await this.#makeMark();
    await this.#together('make or change the user', () => this.#make(state, roles));
    const { roles: held } = await this.#state();
    const more = held.filter((role) => !roles.includes(role));
    if (more.length > 0)
      throw new DbFailure(
        'refused',
        `'${user}' has the roles ${more.join(', ')} of somebody else than the admin user`,
        {
          next: `take them there: ${more.map((role) => `REVOKE ${quotedName(role)} FROM ${this.#name}`).join('; ')}`,
        },
      );
    return { isNew: !state.isThere, credential: await this.#open() };
  }

  async letInAgain(): Promise<LetIn> {
    this.#requireOurs(await this.#state());
    return { isNew: false, credential: await this.#open() };
  }

  /** A password that they give themselves meanwhile is over as well: only the admin user changes until when one holds. LOGIN stays while somebody is in, as workers that share a query ask for it. */
  async shut(): Promise<void> {
    await this.#asker.ask(`ALTER ROLE ${this.#name} PASSWORD NULL VALID UNTIL '1970-01-01'`);
  }

  async letOut(isDropped: boolean): ReturnType<UserMaker['letOut']> {
    const state = await this.#state();
    if (!state.isThere || !state.isOurs) return 'gone';
    if (state.isBusy) return 'busy';
    await this.#together('disable the user', async () => {
      await this.#asker.ask(`ALTER ROLE ${this.#name} NOLOGIN PASSWORD NULL VALID UNTIL '1970-01-01'`);
      for (const role of state.roles) await this.#asker.ask(`REVOKE ${quotedName(role)} FROM ${this.#name}`);
    });
    if (!isDropped) return 'disabled';
    // Not where something there is their own, or was granted to them.
    return await this.#asker.ask(`DROP ROLE ${this.#name}`).then(
      () => 'dropped' as const,
      (error: unknown) => {
        if (error instanceof DbFailure && error.kind === 'refused') return 'disabled' as const;
        throw error;
      },
    );
  }

  close(): void {
    this.#asker.leave();
    setImmediate(this.#destroy);
  }

  async #state(): Promise<State> {
    const user = quotedText(this.#terms.user);
    const [found] = await this.#asker.ask(`SELECT oid FROM pg_roles WHERE rolname = ${user}`);
    const [busy] = await this.#asker.ask(`SELECT count(*) FROM pg_stat_activity WHERE usename = ${user}`);
    const groups = await this.#asker.ask(
      `SELECT DISTINCT g.rolname FROM pg_auth_members m JOIN pg_roles g ON g.oid = m.roleid JOIN pg_roles u ON u.oid = m.member WHERE u.rolname = ${user}`,
    );
    const names = groups.map(([name]) => name ?? '');
    return {
      isThere: found !== undefined,
      isOurs: names.includes(MARK),
      roles: names.filter((name) => name !== MARK).sort(),
      isBusy: busy?.[0] !== '0',
    };
  }

  #requireOurs({ isThere, isOurs }: State): void {
    if (isThere && !isOurs) throw notOurs(this.#terms.user, `GRANT ${quotedName(MARK)} TO ${this.#name}`);
  }

  async #makeMark(): Promise<void> {
    const [found] = await this.#asker.ask(`SELECT 1 FROM pg_roles WHERE rolname = ${quotedText(MARK)}`);
    if (found) return;
    await this.#asker.ask(`CREATE ROLE ${quotedName(MARK)} NOLOGIN`).catch((error: unknown) => {
      if (error instanceof DbFailure && IS_THERE.has(error.code)) return;
      throw couldNot(error, this.#terms, `make the role '${MARK}'`);
    });
  }

  async #make(state: State, roles: readonly string[]): Promise<void> {
    const ask = (sql: string) => this.#asker.ask(sql);
    if (!state.isThere) {
      await ask(`CREATE ROLE ${this.#name} NOLOGIN`);
      await ask(`GRANT ${quotedName(MARK)} TO ${this.#name}`);
    }
    for (const role of state.roles.filter((each) => !roles.includes(each)))
      await ask(`REVOKE ${quotedName(role)} FROM ${this.#name}`);
    for (const role of roles.filter((each) => !state.roles.includes(each)))
      await ask(`GRANT ${quotedName(role)} TO ${this.#name}`);
  }

  async #open(): Promise<LetIn['credential']> {
    if (this.#terms.by.method === 'certificate') {
      await this.#alter(`LOGIN PASSWORD NULL VALID UNTIL '1970-01-01'`);
      return { method: 'certificate' };
    }
    const password = newSecret();
    // The secret itself would stand in the server's log.
    await this.#alter(`LOGIN PASSWORD '${await verifierOf(password)}' VALID UNTIL 'infinity'`);
    return { method: 'password', password };
  }

  async #alter(what: string): Promise<void> {
    await this.#asker.ask(`ALTER ROLE ${this.#name} ${what}`).catch((error: unknown) => {
      throw couldNot(error, this.#terms, 'allow the sign-in');
    });
  }

  /** All of it or nothing. */
  async #together(what: string, run: () => Promise<void>): Promise<void> {
    await this.#asker.ask('BEGIN');
    try {
      await run();
      await this.#asker.ask('COMMIT');
    } catch (error) {
      await this.#asker.ask('ROLLBACK').catch(() => {});
      throw couldNot(error, this.#terms, what);
    }
  }
}

/** As the server stores it: whoever reads it cannot sign in by it. */
export async function verifierOf(password: string, salt: Buffer = randomBytes(16)): Promise<string> {
  const salted = await hashed(password, salt, ROUNDS, 32, 'sha256');
  const keyed = (text: string) => createHmac('sha256', salted).update(text).digest();
  const stored = createHash('sha256').update(keyed('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${ROUNDS}:${salt.toString('base64')}$${stored}:${keyed('Server Key').toString('base64')}`;
}

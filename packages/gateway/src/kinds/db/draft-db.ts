/** A database that is about to be added. */
import { dbDraft } from '@gatehouse/contract/kinds/db/databases';
import { dbSpec, signInOf } from '@gatehouse/contract/kinds/db/db-spec';
import type { AccessControl } from '../../access/create-access.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { parseInput } from '../../platform/std/parse-input.ts';
import type { Db } from '../../platform/storage/tables.ts';
import type { Reach } from '../../reach/reach.ts';
import type { Draft } from '../../sessions/connection-tests/draft-test.ts';
import { takeWay } from '../../sessions/connection-tests/take-way.ts';
import { refuseCloud } from './cloud-rules.ts';
import { type Chosen, connectTo } from './db-rights.ts';
import { type DbProofs, dbTarget, dbTerms } from './dial-db.ts';
import { type ListedDb, readDialers, toListedDb } from './listed-db.ts';
import { refuseMadeTry } from './made/admin-connection.ts';
import { failedAs, STEP_TYPES } from './refused-as.ts';
import { tryDb } from './try-db.ts';
import { choose } from './wanted-db.ts';

type DraftAccess = Pick<AccessControl, 'mayEditRoles' | 'decide' | 'lockFor' | 'of'>;

export interface DraftDbDeps extends Omit<DbProofs, 'secrets'> {
  db: Db;
  access: DraftAccess;
  reach: Pick<Reach, 'way'>;
}

const HOPS = { tls: 'tls', protocol: 'protocol', login: 'login', name: 'database', rights: 'rights' } as const;
/** Of a hop that was not taken. */
const NOT_TAKEN: Partial<Record<keyof typeof HOPS, string>> = {
  tls: 'nothing is encrypted: everybody in between can read and change what passes',
  protocol: 'not asked: there is nothing to sign in with',
};

export function readDbDraft(deps: DraftDbDeps, given: unknown): Draft {
  const { name = '', labels: listed = [], dbUser = '', password, ...written } = parseInput(dbDraft, given, 'spec');
  // Nothing is run there, whatever the record would have run.
  const { through: _, limits: _run, ...fields } = written;
  const labels = Object.fromEntries(listed.map((label) => [label.name, label.value]));
  const read = (through: readonly string[]) => parseInput(dbSpec, { ...fields, through }, 'spec');
  const { uri } = read([]);
  return {
    ...{ rule: 'db', name, labels, addr: uri, login: dbUser },
    secrets: password === undefined ? [] : [password],
    async run(steps, test) {
      const spec = read(test.agent === undefined ? [] : [test.agent]);
      // Without a name nobody signs in.
      if (dbUser !== '') refuseCloud(deps.access, test.actor, undefined, spec);
      const at = { cluster: test.cluster, kind: 'db', id: name, name, labels, owner: '', expires: undefined } as const;
      const resource = { ...at, spec };
      // Labels say which agents would be asked.
      const db = toListedDb(resource, await readDialers(deps.db, test.cluster, [resource]));
      const way = await takeWay(steps, deps.reach, dbTarget(db), test);
      const dbName = spec.database;
      const tried = tryDb(
        { way: async () => ({ tell: '', addresses: [], dial: async () => way.stream }) },
        {
          ...{ proofs: deps, db, dbUser, dbName, who: test.who, timeoutMs: test.timeoutMs, signal: test.signal },
          setPassword: '',
          terms() {
            if (dbUser === '') throw new AppError('bad_request', 'nobody is named to sign in as');
            refuseMadeTry(deps.access, test.actor, db, { dbUser, dbName });
            if (password === undefined && signInOf(spec) === 'password')
              throw new AppError('bad_request', `no password of '${dbUser}' was given`);
            if (signInOf(spec) !== 'password') requireName(deps.access, test.actor, db, { dbUser, dbName });
            return dbTerms({ ...deps, secrets: { passwordOf: () => password } }, db, { dbUser, dbName });
          },
        },
      );
      const take = (step: keyof typeof HOPS) =>
        steps.take({
          step,
          type: STEP_TYPES[HOPS[step]],
          failedAs: (error) => failedAs(error, STEP_TYPES[HOPS[step]]),
          run: () => tried[HOPS[step]](),
          tell: (hop) => hop?.message ?? NOT_TAKEN[step] ?? '',
          advise: (hop) => hop?.next,
        });
      try {
        await tried.reach();
        await tried.tcp();
        await take('tls');
        if (dbUser === '') return;
        for (const step of ['protocol', 'login', 'name', 'rights'] as const) await take(step);
      } finally {
        tried.close();
        way.stream.destroy();
      }
    },
  };
}

/**
 * What signs in here is the gateway's own, and no password of whoever asks: it goes by the rules of what is saved, or anybody who may add
 * something would learn by it who may do what there. Who may edit roles could give the name to themselves.
 */
function requireName(access: DraftAccess, actor: Actor, db: ListedDb, wanted: Chosen): void {
  const refuse = (why: string, next: string) =>
    new AppError('denied', `the gateway itself would sign in, and ${why}`, { fields: { next } });
  const lock = access.lockFor(actor, connectTo(db, wanted));
  if (lock)
    throw refuse(
      `the ${lock.target.kind} '${lock.target.name}' is locked`,
      'wait until the lock has run out, or ask who set it',
    );
  if (!actor.isNarrowed && access.mayEditRoles(actor)) return;
  const { dbUser, dbName } = choose(db, wanted);
  if (access.decide(actor, connectTo(db, { dbUser, dbName })).allowed) return;
  throw refuse(
    `none of your roles lets you be '${dbUser}' in '${dbName}' of a database with these labels`,
    'leave the user empty to test the way alone, and ask who may edit roles for the name',
  );
}

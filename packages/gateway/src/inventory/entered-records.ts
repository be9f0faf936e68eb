/** Who finds and changes records of a kind that administrators enter, and that agents may offer as well. */
import type { Kind } from '@gatehouse/contract/kinds/kinds';
import type { AccessControl, Subject } from '../access/create-access.ts';
import type { Actor } from '../platform/http/actor.ts';
import { AppError, notFound } from '../platform/std/app-error.ts';
import type { Db, Tx } from '../platform/storage/tables.ts';
import { inTransaction } from '../platform/storage/transaction.ts';
import { requireLiftOf } from './leaving-locks.ts';
import { holdNames, type Resource, removeResource } from './resource-store.ts';

export type EnteredVerb = 'create' | 'update' | 'delete';

export interface RecordId {
  cluster: string;
  name: string;
}

export interface EnteredRecordDeps<Listed> {
  db: Db;
  access: AccessControl;
  now: () => number;
  /** Everybody there is, with what decides what they reach. */
  people: () => Promise<readonly Subject[]>;
  kind: Kind;
  /** What rules call it. */
  rule: string;
  /** What errors call one. */
  called: string;
  read(from: Db, id: RecordId): Promise<Listed | undefined>;
}

export interface EnteredRecords<Listed> {
  /** Throws unless a rule lets them. */
  require(actor: Actor, verb: EnteredVerb, record: Pick<Resource, 'name' | 'labels'>): void;
  may(actor: Actor, verb: EnteredVerb, record: Pick<Resource, 'name' | 'labels'>): boolean;
  /** Whoever changes one by a rule reads it too, reached or not. */
  findSeen(actor: Actor, id: RecordId): Promise<Listed>;
  /**
   * One that was entered, by whoever a rule lets change it, seen or not. Asked again where it is changed: somebody may have
   * changed it since, and its labels decide who may.
   */
  findEntered(from: Db, actor: Actor, id: RecordId, verb: EnteredVerb): Promise<Listed>;
  /** Those who could gain by labels; for who may edit roles it does not matter who. */
  gaining(actor: Actor): Promise<readonly Subject[]>;
  /** `change` is told who could gain: they were asked for before the transaction, which waits for nothing slow. */
  update<Changed>(
    actor: Actor,
    id: RecordId,
    change: (tx: Tx, before: Listed, people: readonly Subject[]) => Promise<Changed>,
  ): Promise<Changed>;
  /** `gone` does what else goes with it, and tells of it. */
  remove(actor: Actor, id: RecordId, gone: (tx: Tx, removed: Resource) => Promise<unknown>): Promise<void>;
}

export function enteredRecords<Listed extends { resource: Resource }>(
  deps: EnteredRecordDeps<Listed>,
): EnteredRecords<Listed> {
  const { db, access, now, people, kind, rule, called, read } = deps;
  const action = (verb: EnteredVerb, { name, labels }: Pick<Resource, 'name' | 'labels'>) =>
    ({ type: 'verb', resource: rule, verb, object: { kind, name, labels } }) as const;
  const isSeen = (actor: Actor, { resource }: Listed) => access.decide(actor, { type: 'see', kind, resource }).allowed;
  const may: EnteredRecords<Listed>['may'] = (actor, verb, record) =>
    access.decide(actor, action(verb, record)).allowed;

  const gaining = async (actor: Actor) => (access.mayEditRoles(actor) ? [] : await people());

  const findEntered: EnteredRecords<Listed>['findEntered'] = async (from, actor, id, verb) => {
    const found = await read(from, id);
    // Refused by name is only what they see; the rest is not there for them.
    if (!found || !(may(actor, verb, found.resource) || isSeen(actor, found))) throw notFound(called, id.name);
    access.require(actor, action(verb, found.resource));
    if (found.resource.owner === '') return found;
    throw new AppError(
      'bad_request',
      `agents offer the ${called} '${id.name}': change or remove it in the configuration of those agents`,
    );
  };

  return {
    may,
    findEntered,
    gaining,
    require: (actor, verb, record) => access.require(actor, action(verb, record)),

    async findSeen(actor, id) {
      const found = await read(db, id);
      if (found && (isSeen(actor, found) || may(actor, 'update', found.resource))) return found;
      throw notFound(called, id.name);
    },

    async update(actor, id, change) {
      await findEntered(db, actor, id, 'update');
      const gainers = await gaining(actor);
      return await inTransaction(db, async (tx) => {
        await holdNames(tx);
        return await change(tx, await findEntered(tx, actor, id, 'update'), gainers);
      });
    },

    async remove(actor, id, gone) {
      await findEntered(db, actor, id, 'delete');
      await inTransaction(db, async (tx) => {
        await holdNames(tx);
        const { resource } = await findEntered(tx, actor, id, 'delete');
        await requireLiftOf(tx, { access, actor, now: now() }, resource);
        if (!(await removeResource(tx, resource))) throw notFound(called, id.name);
        await gone(tx, resource);
      });
    },
  };
}

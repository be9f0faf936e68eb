/** Who finds and changes records of a kind that administrators enter, and that agents may offer as well. */
import type { Kind } from '@gatehouse/contract/kinds/kinds';
import type { AccessControl, Subject } from '../access/create-access.ts';
import type { Actor } from '../platform/http/actor.ts';
import { AppError, notFound } from '../platform/std/app-error.ts';
import type { Db } from '../platform/storage/tables.ts';
import type { Resource } from './resource-store.ts';

export type EnteredVerb = 'create' | 'update' | 'delete';

export interface RecordId {
  cluster: string;
  name: string;
}

export interface EnteredRecordDeps<Listed> {
  db: Db;
  access: Pick<AccessControl, 'decide' | 'require' | 'mayEditRoles'>;
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
}

export function enteredRecords<Listed extends { resource: Resource }>(
  deps: EnteredRecordDeps<Listed>,
): EnteredRecords<Listed> {
  const { db, access, people, kind, rule, called, read } = deps;
  const action = (verb: EnteredVerb, { name, labels }: Pick<Resource, 'name' | 'labels'>) =>
    ({ type: 'verb', resource: rule, verb, object: { kind, name, labels } }) as const;
  const isSeen = (actor: Actor, { resource }: Listed) => access.decide(actor, { type: 'see', kind, resource }).allowed;
  const may: EnteredRecords<Listed>['may'] = (actor, verb, record) =>
    access.decide(actor, action(verb, record)).allowed;

  return {
    may,
    require: (actor, verb, record) => access.require(actor, action(verb, record)),

    async findSeen(actor, id) {
      const found = await read(db, id);
      if (found && (isSeen(actor, found) || may(actor, 'update', found.resource))) return found;
      throw notFound(called, id.name);
    },

    async findEntered(from, actor, id, verb) {
      const found = await read(from, id);
      // Refused by name is only what they see; the rest is not there for them.
      if (!found || !(may(actor, verb, found.resource) || isSeen(actor, found))) throw notFound(called, id.name);
      access.require(actor, action(verb, found.resource));
      if (found.resource.owner === '') return found;
      throw new AppError(
        'bad_request',
        `agents offer the ${called} '${id.name}': change or remove it in the configuration of those agents`,
      );
    },

    gaining: async (actor) => (access.mayEditRoles(actor) ? [] : await people()),
  };
}

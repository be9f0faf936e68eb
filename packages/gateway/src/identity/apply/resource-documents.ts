/** What a kind of resource must be able to do for its records to be written as documents. */
import type { KindDocument } from '@gatehouse/contract/kinds/kinds';
import type { z } from 'zod';
import type { Subject } from '../../access/create-access.ts';
import type { Actor, Caller } from '../../platform/http/actor.ts';
import type { Exchange } from '../../platform/http/call.ts';
import type { Db, Tx } from '../../platform/storage/tables.ts';

export interface ResourceDocument {
  metadata: { name: string };
}

/** Whoever asks, and about which cluster. */
export interface Asking {
  actor: Actor;
  caller: Caller;
  cluster: string;
  exchange: Exchange;
}

export interface WrittenResource {
  name: string;
  /** Without anything secret, its keys sorted. */
  text: string;
}

export interface ResourceDocuments {
  kind: KindDocument;
  /** Whether any rule lets them write such records at all; what they may do with each is decided for that one. */
  isAllowed(actor: Actor, verb: 'create' | 'edit'): boolean;
  schema: z.ZodType<ResourceDocument>;
  /** Those that were entered and that the actor may change; the one of a name where that is given. */
  list(db: Db, actor: Actor, wanted: { cluster: string; name?: string | undefined }): Promise<WrittenResource[]>;
  /** Adds or changes it as the calls of its kind do, with all that those ask. The same text twice: it was so before. */
  write(tx: Tx, document: ResourceDocument, asked: WriteAsked): Promise<{ before: string | undefined; after: string }>;
  /** After it was committed. */
  settled(): Promise<void>;
}

export interface WriteAsked extends Asking {
  /** Those who could gain by its labels. */
  people: readonly Subject[];
  /** Throws where the document is for another than this one. */
  expect(held: string | undefined): void;
}

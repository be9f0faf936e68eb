/** What sessions ask of a kind of resource. Declared here, by who asks; each kind answers in its own folder, see kinds/kinds.ts. */

import type { Kind } from '@gatehouse/contract/kinds/kinds';
import type { ShellSize } from '@gatehouse/contract/reach/agents/shell-frames';
import type { Resource } from '../inventory/resource-store.ts';
import type { Actor } from '../platform/http/actor.ts';
import type { Tx } from '../platform/storage/tables.ts';
import type { Steps } from './connection-tests/take-steps.ts';
import type { Session, SessionAction, SessionEnd } from './host/session-store.ts';
import type { Shell, ShellEvents } from './terminal/shell.ts';

export interface SessionKind {
  /** By what people call it. Throws `not_found`, alike for what is not there and what is not seen. */
  find(actor: Actor, wanted: string): Promise<Resource>;
  /** What a change of the thing means for sessions with it. */
  life?: ResourceLife;
  /** In events of its own. A kind without them has no sessions: none is told as another kind's. */
  audit?: SessionTeller;
  /** A kind without them has no terminals. */
  shells?: Shells;
  /** A kind without it cannot be tested. */
  test?(steps: Steps, test: ConnectionTest): Promise<void>;
}

export interface ResourceLife {
  /** In words: `server`. */
  called: string;
  /** Whether the row describes another thing than the one that was allowed and is connected. */
  isAnother(before: Resource, now: Resource): boolean;
  /** What then happened to it, in words; `changed` without them. */
  moved?: string;
  /** While its agent is away sessions wait for it; others are over. */
  waitsForAgent?: true;
}

export type SessionKinds = { readonly [K in Kind]: SessionKind };

export interface SessionTeller {
  started(tx: Tx, session: Session): Promise<void>;
  ended(tx: Tx, session: Session, end: SessionEnd & { now: number }): Promise<void>;
}

export interface Shells {
  /** The agent that would hold a shell there; undefined: this gateway. */
  agentOf(resource: Resource): string | undefined;
  open(request: ShellRequest): Promise<Shell>;
  /** For a session that an agent held before this process began. */
  resume(request: ShellRequest): Shell;
}

export interface ShellRequest {
  session: string;
  user: string;
  signInId: string;
  action: SessionAction;
  size: ShellSize;
  events: ShellEvents;
  /** How long it is waited for when the way to it is lost. */
  graceMs: number;
  /** The session is over. */
  signal: AbortSignal;
}

export interface ConnectionTest {
  actor: Actor;
  /** As the kind's `find` takes it. */
  wanted: string;
  login: string;
  /** Names the test in logs of agents and servers. */
  session: string;
  timeoutMs: number;
  signal: AbortSignal;
  /** Undefined: no answer came along. Throws why it was not taken. */
  proveFactor: (() => Promise<void>) | undefined;
  /** What it is about is known; what follows is about it. */
  onFound(resource: Resource): void;
}

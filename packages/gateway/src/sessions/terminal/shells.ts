/** What terminals ask of a kind that has shells. */
import type { Kind } from '@gatehouse/contract/kinds/kinds';
import type { ShellSize } from '@gatehouse/contract/reach/agents/shell-frames';
import type { Resource } from '../../inventory/resource-store.ts';
import type { Actor } from '../../platform/http/actor.ts';
import type { SessionAction } from '../host/session-store.ts';
import type { Shell, ShellEvents, ShellProgram } from './shell.ts';

export interface Shells {
  /** The agent that would hold a shell there; undefined: this gateway. */
  agentOf(resource: Resource): string | undefined;
  open(request: ShellRequest): Promise<Shell>;
  /** For a session that an agent held before this process began. */
  resume(request: ShellRequest): Shell;
}

/** Something inside a resource that runs in its own way: what is decided about, and how it is begun. */
export interface InnerShell {
  action: SessionAction;
  /** What is to run there, where that is not a shell. */
  command: string | undefined;
  open(request: ShellRequest): Promise<Shell>;
}

export interface ShellRequest {
  program?: ShellProgram;
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

/** What terminals ask of the kinds. */
export type ShellKinds = {
  readonly [K in Kind]: {
    /** By what people call it. Throws `not_found`, alike for what is not there and what is not seen. */
    find(actor: Actor, wanted: string): Promise<Resource>;
    /** A kind without them has no terminals. */
    shells?: Shells;
  };
};

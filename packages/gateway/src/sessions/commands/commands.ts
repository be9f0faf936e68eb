/** What is asked of a kind whose resources run commands without a terminal. */
import type { Resource } from '../../inventory/resource-store.ts';
import type { Actor } from '../../platform/http/actor.ts';
import type { SessionAction } from '../host/session-store.ts';
import type { Forwards, RunningCommand, WantedProgram } from './running-command.ts';

export interface CommandSession {
  session: string;
  user: string;
  signInId: string;
  /** Where they come from, for what the log is told. */
  address: string;
  /** They gave a second factor for it. */
  mfa: boolean;
  action: SessionAction;
  /** The session is over. */
  signal: AbortSignal;
}

export interface Commands {
  /** Throws in words why it cannot be run. What it gives ends with the signal. */
  run(request: CommandSession & { program: WantedProgram }): Promise<RunningCommand>;
  /** One way to the resource for as many connections as are wanted. */
  forwards(request: CommandSession): Promise<Forwards>;
  /** Whom somebody may become there, for who asked for somebody else. */
  loginsOn(actor: Actor, resource: Resource): string[];
}

/** On whose behalf, and where, what a program asks for on its channels is opened. */
import type { ServerChannel } from 'ssh2';
import type { DoorChannel } from './door-channel.ts';
import type { LeafTarget } from './leaf-target.ts';
import type { Person } from './prove-person.ts';
import type { TowardProgram } from './toward-program.ts';

export interface SessionAsked {
  person: Person;
  address: string;
  login: string;
  /** The first of these that there is. */
  servers: readonly string[];
  /** Undefined: it is one of this cluster. */
  leaf: LeafTarget | undefined;
  /** The program said goodbye, or this channel alone was closed. */
  hasLeft(): boolean;
  /** Every channel that is opened goes through it. */
  hold(channel: ServerChannel): ServerChannel;
  /** What was asked before, and what is run may count on. */
  settled(): Promise<unknown>;
  /** For what a server opens in its turn. */
  toward: TowardProgram;
  /** Told why, should the connection end. */
  onFront(front: DoorChannel): void;
  /** On the next output there is, where an answer has no room for words. */
  tell(words: string): void;
}

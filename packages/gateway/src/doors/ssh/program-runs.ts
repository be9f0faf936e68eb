/** What runs what a program asks for on a session channel, wherever the server is. */
import type { CommandClient } from '../../sessions/commands/run-command.ts';
import type { WantedProgram } from '../../sessions/commands/running-command.ts';
import type { BackwardWishes } from './backward-channels.ts';
import type { DoorChannel, Size } from './door-channel.ts';

export interface AskedProgram {
  program: WantedProgram;
  wishes: BackwardWishes;
}

export type TerminalProgram = Exclude<WantedProgram, { type: 'files' }>;

export interface WantedTerminal extends AskedProgram {
  program: TerminalProgram;
  size: Size & { term: string };
  onSize(listener: (size: Size) => void): void;
}

/** Each resolves when it has begun, or is over, and rejects with why nothing is run. */
export interface ProgramRuns {
  onTerminal(front: DoorChannel, wanted: WantedTerminal): Promise<void>;
  plainly(front: DoorChannel, wanted: AskedProgram & Pick<CommandClient, 'onSignal'>): Promise<void>;
}

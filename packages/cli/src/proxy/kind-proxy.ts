/** What `gatehouse proxy` asks of a kind whose things programs on this machine can reach. */
import type { Send } from '@gatehouse/contract/wire/client';
import type { Command } from 'commander';
import type { Io } from '../command.ts';
import type { ListenAddress, SocketPath } from './listen-address.ts';
import type { LocalListener } from './serve-local.ts';

export interface KindProxy {
  summary: string;
  /** In examples. */
  example: string;
  /** Where it listens then, in words. */
  unlessTold: string;
  /** Asked once at the start: a wrong name is worth knowing before the first program tries. */
  find(name: string, mine: OwnGateway, options: object): Promise<Proxied>;
  /** Flags of its own, which `find` is given. */
  addFlags?(command: Command): Command;
  /** Everything of the kind that one may use, for `--all`; what needs a choice is told and left out. */
  findAll?(mine: OwnGateway, options: object): Promise<Proxied[]>;
}

/** The gateway under the user's own sign-in; see proxy/own-gateway.ts. */
export interface OwnGateway {
  io: Io;
  origin: string;
  /** Which of its clusters is meant: what sockets are opened with. */
  at: { clusterId: string };
  /** The credential is read anew each time: whoever signs in again need not start this again. */
  credential(): string;
  send(): Send;
  userAgent: string;
  /** Aborted when somebody stops it. */
  signal: AbortSignal;
}

export interface Proxied {
  name: string;
  /** Where it listens unless told, in a folder of one's own; without it, at any free port. */
  socket?: OwnSocket;
  serve(listen: ListenAddress, onFailure: (error: unknown) => void): Promise<LocalListener>;
  /** What people type into their programs, given where it listens. */
  at(address: string): string;
}

export interface OwnSocket {
  /** What tells it from others of the same name. */
  choice: readonly string[];
  /** What programs look for in the folder. */
  file: string;
  /** The command that leads there. */
  command(folder: string): string;
  serve(listen: SocketPath, onFailure: (error: unknown) => void): Promise<LocalListener>;
}

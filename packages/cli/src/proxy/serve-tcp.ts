/** A port on this machine that leads to something which programs dial, of whichever kind; a second factor is traded for a pass that its connections share. */
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ListenAddress, SocketPath } from './listen-address.ts';
import { type LocalListener, serveLocal } from './serve-local.ts';

export interface TcpProxyOptions {
  listen: ListenAddress | SocketPath;
  /** A new pass; empty where no role asks for a second factor. */
  newPass(): Promise<string>;
  open(pass: string): Promise<Duplex>;
  onFailure(error: unknown): void;
  /** Hears what the program says first; without it, it is dialled at once. */
  begin?(socket: Socket, dial: () => Promise<Duplex>): Promise<Duplex>;
  /** What a program is told whose connection did not come about; undefined: it is reset. */
  refusal?(error: unknown): Buffer | undefined;
}

export async function serveTcp({
  listen,
  newPass,
  open,
  onFailure,
  begin,
  refusal,
}: TcpProxyOptions): Promise<LocalListener> {
  // Asked for while somebody looks, not when the first program connects.
  let pass = await newPass();
  const dial = async () => {
    const held = pass;
    return open(held).catch(async (error: unknown) => {
      if (!(error instanceof Error && 'code' in error && error.code === 'mfa_required')) throw error;
      // Unless another connection has got a new one meanwhile.
      if (held === pass) pass = await newPass();
      return open(pass);
    });
  };
  const connect = (socket: Socket) => (begin ? begin(socket, dial) : dial());
  return serveLocal({ listen, connect, onFailure, ...(refusal ? { refusal } : {}) });
}

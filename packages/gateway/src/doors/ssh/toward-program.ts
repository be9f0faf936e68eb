/// <reference path="../../platform/crypto/ssh/ssh2/ssh2-internals.d.ts" />
/** Channels that the door opens towards a program: for who connected where a server listens for it, for its keys, for its windows. */
import type { Duplex } from 'node:stream';
import type { Connection, ServerChannel } from 'ssh2';
import utils from 'ssh2/lib/protocol/utils.js';
import { sshString } from '../../platform/crypto/ssh/ssh-wire.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { ForwardTarget } from '../../sessions/commands/running-command.ts';
import type { OpenChannels } from './open-channels.ts';

const OPEN_MS = 30_000;
const CHANNEL_OPEN = 90;

interface Origin {
  host: string;
  port: number;
}

type Opened = (error: Error | undefined, channel: ServerChannel) => void;

/** What of ssh2 is reached into: it opens no channels to agents, and the tests with forwarded keys fail when a version has it otherwise. */
interface Inside {
  _protocol: {
    _packetRW: { write: { allocStart: number; alloc(bytes: number): Buffer; finalize(packet: Buffer): Buffer } };
    x11(channel: number, window: number, maxPacket: number, from: object): void;
  };
}

export class TowardProgram {
  readonly #client: Connection;
  readonly #channels: OpenChannels;

  constructor(client: Connection, channels: OpenChannels) {
    this.#client = client;
    this.#channels = channels;
  }

  /** Where the server listens, as the program named it. */
  listened(at: ForwardTarget, from: Origin): Promise<Duplex> {
    return this.#open((opened) => {
      if (at.type === 'tcp') this.#client.forwardOut(at.host, at.port, from.host, from.port, opened);
      else this.#client.openssh_forwardOutStreamLocal(at.path, opened);
    });
  }

  windows(from: Origin): Promise<Duplex> {
    return this.#open((opened) => this.#client.x11(from.host, from.port, opened));
  }

  keys(): Promise<Duplex> {
    return this.#open((opened) => {
      const { _protocol: protocol } = this.#client as unknown as Inside;
      const { x11 } = protocol;
      // The same call with another packet: ssh2 keeps the channel, and hears the answer.
      protocol.x11 = (channel, window, maxPacket) => {
        const { write } = protocol._packetRW;
        const numbers = Buffer.alloc(12);
        for (const [at, value] of [channel, window, maxPacket].entries()) numbers.writeUInt32BE(value, 4 * at);
        const body = Buffer.concat([Buffer.from([CHANNEL_OPEN]), sshString('auth-agent@openssh.com'), numbers]);
        const packet = write.alloc(body.length);
        body.copy(packet, write.allocStart);
        utils.sendPacket(protocol, write.finalize(packet));
      };
      try {
        this.#client.x11('', 0, opened);
      } finally {
        protocol.x11 = x11;
      }
    });
  }

  /** One that is never answered counts among the channels until the connection is over. */
  #open(ask: (opened: Opened) => void): Promise<Duplex> {
    return new Promise((resolve, reject) => {
      const leave = this.#channels.enter();
      if (!leave) return reject(new AppError('too_many', 'the program has too many channels open'));
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        reject(new AppError('unavailable', 'the program does not answer'));
      }, OPEN_MS).unref();
      ask((error, channel) => {
        clearTimeout(timer);
        if (error) {
          leave();
          return reject(new AppError('unavailable', 'the program turned it away', { cause: error }));
        }
        this.#channels.holdBothWays(channel, leave);
        if (isLate) channel.close();
        else resolve(channel);
      });
    });
  }
}

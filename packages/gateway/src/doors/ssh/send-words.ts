/// <reference path="../../platform/crypto/ssh/ssh2/ssh2-internals.d.ts" />
/** Tells a program something in words, where ssh2 has no call for it. */
import type { Connection } from 'ssh2';
import utils from 'ssh2/lib/protocol/utils.js';
import { sshString } from '../../platform/crypto/ssh/ssh-wire.ts';

const DISCONNECT = 1;
const USERAUTH_BANNER = 53;
/** RFC 4254, 5.1. */
const PROHIBITED = 1;

interface Inside {
  _protocol: {
    _packetRW: {
      write: {
        allocStart: number;
        allocStartKEX: number;
        alloc(bytes: number, evenWhileKeysChange?: boolean): Buffer;
        finalize(packet: Buffer, evenWhileKeysChange?: boolean): Buffer;
      };
    };
    channelOpenFail(channel: number, reason: number, words: string): void;
    disconnect(reason: number): void;
  };
}

/** Shown by the client while it signs in, whatever becomes of that. */
export function sendBanner(client: Connection, words: string): void {
  const { _protocol: protocol } = client as unknown as Inside;
  const { write } = protocol._packetRW;
  const body = Buffer.concat([Buffer.from([USERAUTH_BANNER]), sshString(`${words}\r\n`), sshString('')]);
  const packet = write.alloc(body.length);
  body.copy(packet, write.allocStart);
  utils.sendPacket(protocol, write.finalize(packet));
}

/** Instead of opening a channel: ssh2 tells the client that it is not, and has no word for why. */
export function refuseChannel(client: Connection, reject: () => void, words: string): void {
  const { _protocol: protocol } = client as unknown as Inside;
  const fail = protocol.channelOpenFail;
  protocol.channelOpenFail = function (channel) {
    fail.call(this, channel, PROHIBITED, words);
  };
  try {
    reject();
  } finally {
    protocol.channelOpenFail = fail;
  }
}

/** Ends the connection: ssh2 says goodbye without a word. What runs nothing has no other place to hear why. */
export function endWithWords(client: Connection, words: string): void {
  const { _protocol: protocol } = client as unknown as Inside;
  const { disconnect } = protocol;
  protocol.disconnect = (reason) => {
    const { write } = protocol._packetRW;
    const why = Buffer.alloc(4);
    why.writeUInt32BE(reason);
    const body = Buffer.concat([Buffer.from([DISCONNECT]), why, sshString(`gatehouse: ${words}`), sshString('')]);
    const packet = write.alloc(body.length, true);
    body.copy(packet, write.allocStartKEX);
    utils.sendPacket(protocol, write.finalize(packet, true), true);
  };
  try {
    client.end();
  } finally {
    protocol.disconnect = disconnect;
  }
}

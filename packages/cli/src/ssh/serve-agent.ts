/** One key for one program, as ssh asks its agent for it: it lies nowhere but in the memory of this process. */
import { type KeyObject, sign } from 'node:crypto';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';

interface AgentKey {
  key: KeyObject;
  /** As it travels. */
  certificate: Buffer;
}

const FAILURE = Buffer.of(5);
const REQUEST_IDENTITIES = 11;
const IDENTITIES_ANSWER = 12;
const SIGN_REQUEST = 13;
const SIGN_RESPONSE = 14;
const MAX_MESSAGE_BYTES = 256 * 1024;

/** `folder`: one that nobody else can open. Gives the path of the socket. */
export async function serveAgent(folder: string, held: AgentKey): Promise<{ path: string; close(): void }> {
  const { SshReader, sshString, uint32 } = await import('@gatehouse/gateway/platform/crypto/ssh/ssh-wire');

  function answer(message: Buffer): Buffer {
    const type = message[0];
    if (type === REQUEST_IDENTITIES)
      return Buffer.concat([
        Buffer.of(IDENTITIES_ANSWER),
        uint32(1),
        ...[held.certificate, 'gatehouse'].map(sshString),
      ]);
    if (type !== SIGN_REQUEST) return FAILURE;
    const reader = new SshReader(message.subarray(1));
    const [blob, data] = [reader.bytes(), reader.bytes()];
    if (!blob.equals(held.certificate)) return FAILURE;
    const signature = Buffer.concat(['ssh-ed25519', sign(null, data, held.key)].map(sshString));
    return Buffer.concat([Buffer.of(SIGN_RESPONSE), sshString(signature)]);
  }

  function serve(socket: Socket): void {
    let waiting = Buffer.alloc(0);
    socket.on('error', () => socket.destroy());
    socket.on('data', (bytes) => {
      waiting = Buffer.concat([waiting, bytes]);
      while (waiting.length >= 4) {
        const length = waiting.readUInt32BE(0);
        if (length === 0 || length > MAX_MESSAGE_BYTES) return void socket.destroy();
        if (waiting.length < 4 + length) return;
        socket.write(sshString(answered(waiting.subarray(4, 4 + length))));
        waiting = waiting.subarray(4 + length);
      }
    });
  }

  /** What ends too early is refused, and ends nobody else's. */
  function answered(message: Buffer): Buffer {
    try {
      return answer(message);
    } catch {
      return FAILURE;
    }
  }

  const path = join(folder, 'agent');
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.once('close', () => sockets.delete(socket)));
    serve(socket);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  return {
    path,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

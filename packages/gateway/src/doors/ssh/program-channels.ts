/** What a program opens on its connection, once it is known who it comes for: sessions, jumps, and connections to elsewhere and back. */
import type { Connection, ServerChannel } from 'ssh2';
import type { ForwardTarget } from '../../sessions/commands/running-command.ts';
import type { Arrived } from './arrived.ts';
import type { DoorChannel } from './door-channel.ts';
import type { SshDoorDeps } from './door-deps.ts';
import { isPlainName, readDoorName, readJump } from './door-name.ts';
import { wordsOf } from './door-words.ts';
import { type ForwardChannels, forwardChannels } from './forward-channels.ts';
import { leafForwards } from './leaf/leaf-forwards.ts';
import type { LeafServer } from './leaf/leaf-server.ts';
import { serveListenRequests } from './listen-requests.ts';
import { MAX_WORDS, OpenChannels } from './open-channels.ts';
import type { Person } from './prove-person.ts';
import { refuseChannel } from './send-words.ts';
import type { SessionAsked } from './session-asked.ts';
import { serveSession } from './session-channel.ts';
import { TowardProgram } from './toward-program.ts';

export const NAME_A_SERVER = 'name a server: ssh LOGIN@SERVER@GATEWAY, or jump: ssh -J GATEWAY LOGIN@SERVER';
const JUMP_PORT = 22;

export interface ProvedConnection {
  arrived: Arrived;
  client: Connection;
  person: Person;
  /** What the program calls itself. */
  name: string;
  /** Where the server is one of another cluster. */
  leaf: LeafServer | undefined;
  /** It said goodbye, or it is not the connection that is over. */
  hasLeft(): boolean;
  /** A connection within this one. */
  serve(arrived: Arrived): Promise<void>;
}

export class ProgramChannels {
  readonly #deps: SshDoorDeps;
  readonly #proved: ProvedConnection;
  readonly #channels: OpenChannels;
  readonly #ownFronts = new Set<DoorChannel>();
  /** Also of what jumps through it: they are told together why it ends. */
  readonly #fronts: Set<DoorChannel>;
  #settled: () => Promise<unknown> = () => Promise.resolve();
  #forwards: ForwardChannels | undefined;
  /** For the first output that there is. */
  #untold: string | undefined;
  #isCut = false;
  #isClosed = false;

  constructor(deps: SshDoorDeps, proved: ProvedConnection) {
    const { client, arrived } = proved;
    this.#deps = deps;
    this.#proved = proved;
    this.#channels = new OpenChannels(client, arrived.stream, arrived.within?.channels);
    this.#fronts = arrived.within?.fronts ?? new Set();
  }

  begin(): void {
    const { client, arrived } = this.#proved;
    const asked = this.#asked();
    client.on('session', (accept, reject) => {
      if (!asked) return refuseChannel(client, reject, `gatehouse: ${NAME_A_SERVER}`);
      const leave = this.#enter(reject);
      if (!leave) return;
      const session = accept();
      session.once('close', leave);
      serveSession(this.#deps, session, asked);
    });
    client.on('tcpip', (accept, reject, { destIP, destPort }) => {
      if (asked) return this.#forward(asked, { type: 'tcp', host: destIP, port: destPort }, accept, reject);
      // Each in another they would have no end, and every one is a connection of its own here.
      if (arrived.within) return refuseChannel(client, reject, `gatehouse: ${NAME_A_SERVER}`);
      this.#jump({ host: destIP, port: destPort }, accept, reject);
    });
    client.on(
      'openssh.streamlocal' as never,
      ((accept: () => ServerChannel, reject: () => void, { socketPath }: { socketPath: string }) => {
        if (!asked) return refuseChannel(client, reject, 'gatehouse: a jump leads to port 22 of a server');
        this.#forward(asked, { type: 'socket', path: socketPath }, accept, reject);
      }) as never,
    );
    this.#settled = serveListenRequests(client, {
      forwards: asked && (() => this.#forwardsOf(asked)),
      wordsOf: (error) => wordsOf(this.#deps, error),
      tell: (words) => this.#tell(words),
      cut: () => arrived.stream.destroy(),
    });
  }

  /** Nothing is opened any more, and what is open is told why. */
  cut(words: string): void {
    this.#isCut = true;
    for (const front of this.#fronts) front.fail(words, 'lost');
  }

  stopForwards(): void {
    this.#isClosed = true;
    this.#forwards?.close();
  }

  close(): void {
    this.#channels.close();
  }

  /** Undefined: it names no server, and may only jump. */
  #asked(): SessionAsked | undefined {
    const { arrived, client, person, name, leaf, hasLeft } = this.#proved;
    const { within, address } = arrived;
    const { clusterName } = this.#deps;
    const named = within ? readJump(name, within.host, clusterName) : readDoorName(name, clusterName);
    if (!named) return undefined;
    // What was approved is that server, and not another that would be found by a longer name.
    const { login, servers } = leaf ? leaf.named() : named;
    const approved = servers.filter((server) => server === person.limits?.server);
    return {
      ...{ person, address, leaf, login, servers: approved.length > 0 ? approved : servers, hasLeft },
      toward: new TowardProgram(client, this.#channels),
      hold: (channel) => this.#channels.hold(channel),
      settled: () => this.#settled(),
      onFront: (front) => this.#entered(front),
      tell: (words) => this.#tell(words),
    };
  }

  #entered(front: DoorChannel): void {
    this.#fronts.add(front);
    this.#ownFronts.add(front);
    void front.closed.then(() => {
      this.#fronts.delete(front);
      this.#ownFronts.delete(front);
    });
    if (this.#untold !== undefined) front.tell(this.#untold);
    this.#untold = undefined;
  }

  /** Gives back how to leave. Undefined: it was refused. */
  #enter(reject: () => void): (() => void) | undefined {
    const leave = this.#isCut ? undefined : this.#channels.enter();
    if (leave) return leave;
    const words = this.#isCut ? 'this connection is over' : MAX_WORDS;
    refuseChannel(this.#proved.client, reject, `gatehouse: ${words}`);
    return undefined;
  }

  #jump({ host, port }: { host: string; port: number }, accept: () => ServerChannel, reject: () => void): void {
    const { client, person, arrived, serve } = this.#proved;
    if (port !== JUMP_PORT || !isPlainName(host)) {
      refuseChannel(client, reject, `gatehouse: a jump leads to port ${JUMP_PORT} of a server, not to ${port}`);
      return;
    }
    const leave = this.#enter(reject);
    if (!leave) return;
    const channel = this.#channels.hold(accept(), leave);
    const within = { person, host, fronts: this.#fronts, channels: this.#channels };
    serve({ stream: channel, address: arrived.address, names: [host], within, onProved() {} }).catch(
      (error: unknown) => {
        this.#deps.log.error({ error }, 'the SSH door made a mistake');
        channel.destroy();
      },
    );
  }

  #forward(asked: SessionAsked, target: ForwardTarget, accept: () => ServerChannel, reject: () => void): void {
    const leave = this.#enter(reject);
    if (!leave) return;
    this.#forwardsOf(asked)
      .open(target, () => this.#channels.holdBothWays(accept(), leave))
      .catch((error: unknown) => {
        leave();
        if (!this.#isClosed) refuseChannel(this.#proved.client, reject, `gatehouse: ${wordsOf(this.#deps, error)}`);
      });
  }

  #forwardsOf(asked: SessionAsked): ForwardChannels {
    const { leaf } = asked;
    this.#forwards ??= leaf ? leafForwards(this.#deps, asked, leaf) : forwardChannels(this.#deps, asked);
    return this.#forwards;
  }

  /** Where the answer has no room for words. */
  #tell(words: string): void {
    const [front] = this.#ownFronts;
    if (front) front.tell(words);
    else this.#untold = words;
  }
}

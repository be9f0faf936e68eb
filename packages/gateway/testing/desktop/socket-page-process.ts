/**
 * A process that is a page on a desktop: the client that browsers run, on a socket of its own to a gateway, over a canvas that is nothing
 * but memory. Told what to do by messages; tells whenever one pixel has another colour, by the clock that all processes of a machine share.
 */
import { setImmediate } from 'node:timers/promises';
import { RemoteFxPainter } from '@gatehouse/contract/kinds/desktop/remotefx/painter';
import { type DesktopReply, type DesktopRequest, PICTURE_FRAME } from '@gatehouse/contract/sessions/desktop-frames';
import { WebSocket as Wire } from 'ws';
import { FedSocket, LookAlikeCanvas, lookLikeAPage } from '../../src/sessions/desktop/decoder/page-look-alike.ts';

export type ToSocketPage =
  | {
      type: 'open';
      url: string;
      headers: Record<string, string>;
      token: string;
      request: DesktopRequest;
      watch: { x: number; y: number };
    }
  | { type: 'key'; code: number }
  | { type: 'tell'; command: object };

export type FromSocketPage =
  | { type: 'ready' }
  | { type: 'told'; reply: DesktopReply; at: number }
  | { type: 'changed'; colour: number; at: number }
  | { type: 'ended'; reason: string };

/** So different that no codec makes it of the same. */
const DIFFERENCE = 48;

const clockMs = (): number => Number(process.hrtime.bigint()) / 1e6;
const say = (message: FromSocketPage): void => {
  // Who asked may be gone while something is drawn.
  if (process.connected) process.send?.(message, () => {});
};

function isOther(colour: number, before: number): boolean {
  return [0, 8, 16].some((shift) => Math.abs(((colour >> shift) & 0xff) - ((before >> shift) & 0xff)) > DIFFERENCE);
}

let watched = { x: 0, y: 0 };
let last = -1;

class WatchedCanvas extends LookAlikeCanvas {
  override put(...given: Parameters<LookAlikeCanvas['put']>): void {
    super.put(...given);
    this.#look();
  }

  override paint(...given: Parameters<LookAlikeCanvas['paint']>): void {
    super.paint(...given);
    this.#look();
  }

  #look(): void {
    const at = (watched.y * this.width + watched.x) * 4;
    const [red = 0, green = 0, blue = 0] = this.pixels.subarray(at, at + 3);
    const colour = (red << 16) | (green << 8) | blue;
    if (last >= 0 && !isOther(colour, last)) return;
    last = colour;
    say({ type: 'changed', colour, at: clockMs() });
  }
}

let wire: Wire | undefined;
let canvas = new WatchedCanvas();
let current: FedSocket | undefined;
let painter: RemoteFxPainter | undefined;
let early: Buffer[] = [];

/** What it says after its first message goes to the gateway. */
class GatewaySocket extends FedSocket {
  #isAnswered = false;

  override send(data?: unknown): void {
    if (!this.#isAnswered) {
      this.#isAnswered = true;
      current = this;
      super.send();
      // As pages do.
      painter = new RemoteFxPainter({ surface: canvas, push: (bytes) => this.push(bytes), turn: twoTurns });
      for (const bytes of early.splice(0)) painter.push(bytes);
      return;
    }
    if (data instanceof Uint8Array) wire?.send(Buffer.concat([Buffer.from([PICTURE_FRAME]), data]));
  }
}

async function twoTurns(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

/** As in pages, what the client would send as a Blob is bytes at once: of a Blob they come turns later. */
function BytesAtOnce(parts: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(parts);
}

lookLikeAPage();
Object.assign(globalThis, { WebSocket: GatewaySocket, Blob: BytesAtOnce });
const { init, Backend, enableCredssp } = await import('@devolutions/iron-remote-desktop-rdp');
await init('error');

let session: Awaited<ReturnType<InstanceType<typeof Backend.SessionBuilder>['connect']>> | undefined;

async function begin(width: number, height: number): Promise<void> {
  current?.close();
  current = undefined;
  painter = undefined;
  canvas = new WatchedCanvas();
  early = [];
  last = -1;
  session = await new Backend.SessionBuilder()
    .username('-')
    .password('-')
    .destination('-')
    .serverDomain('')
    .authToken('-')
    .proxyAddress('gateway:')
    .desktopSize(new Backend.DesktopSize(width, height))
    .renderCanvas(canvas as unknown as HTMLCanvasElement)
    .setCursorStyleCallbackContext(null)
    .setCursorStyleCallback(() => undefined)
    .extension(enableCredssp(false))
    .connect();
  await session.run();
}

function open({ url, headers, token, request, watch }: Extract<ToSocketPage, { type: 'open' }>): void {
  watched = watch;
  const opened = new Wire(url, { headers, perMessageDeflate: false });
  wire = opened;
  opened.on('open', () => {
    opened.send(JSON.stringify({ type: 'hello', token }));
    opened.send(JSON.stringify(request));
  });
  opened.on('message', (data: Buffer, isBinary) => {
    if (isBinary) {
      const bytes = data.subarray(1);
      if (painter) painter.push(bytes);
      else early.push(bytes);
      return;
    }
    const reply = JSON.parse(data.toString()) as DesktopReply;
    say({ type: 'told', reply, at: clockMs() });
    if (reply.type === 'segment')
      begin(reply.width, reply.height).catch((error: unknown) => say({ type: 'ended', reason: reasonOf(error) }));
  });
  opened.on('error', (error) => say({ type: 'ended', reason: error.message }));
}

/** Errors of the client are objects of its own. */
function reasonOf(error: unknown): string {
  return (error as { backtrace?: () => string }).backtrace?.() ?? String(error);
}

process.on('message', (message: ToSocketPage) => {
  if (message.type === 'open') open(message);
  else if (message.type === 'tell') wire?.send(JSON.stringify(message.command));
  else {
    const transaction = new Backend.InputTransaction();
    transaction.addEvent(Backend.DeviceEvent.keyPressed(message.code));
    transaction.addEvent(Backend.DeviceEvent.keyReleased(message.code));
    session?.applyInputs(transaction);
  }
});
process.on('disconnect', () => process.exit(0));
say({ type: 'ready' });

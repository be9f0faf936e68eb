/** One desktop, drawn by the client that pages use. Loaded once there is something that looks like a page. */
import { Backend, enableCredssp, init } from '@devolutions/iron-remote-desktop-rdp';
import { errorMessage } from '@gatehouse/contract/std/error-message';
import type { PictureSize } from '../desktop-recorder.ts';
import { isFast, SHARE_DATA_TYPES, shareDataType } from '../rdp-marks.ts';
import type { DrawnPicture, PictureForm } from './decoder-messages.ts';
import { encodePng, shrink } from './encode-png.ts';
import { type FedSocket, LookAlikeCanvas, socketAt } from './page-look-alike.ts';

/** So much is pushed before the client draws it. */
const BATCH_BYTES = 64 * 1024;

/** Before the first picture. */
export async function loadClient(): Promise<void> {
  await init('error');
}

/** After this the client has drawn what it was given. */
const drawn = () => new Promise<void>((resolve) => void setImmediate(resolve));

type Session = Awaited<ReturnType<InstanceType<typeof Backend.SessionBuilder>['connect']>>;

let lastUrl = 0;

export class Picture {
  readonly #canvas = new LookAlikeCanvas();
  readonly #socket: Promise<FedSocket>;
  readonly #connecting: Promise<Session>;
  #failure: string | undefined;
  #isConnected = false;

  constructor({ width, height }: PictureSize) {
    lastUrl += 1;
    const url = `picture:${lastUrl}`;
    this.#socket = socketAt(url);
    this.#connecting = new Backend.SessionBuilder()
      .username('-')
      .password('-')
      .destination('-')
      .serverDomain('')
      .authToken('-')
      .proxyAddress(url)
      .desktopSize(new Backend.DesktopSize(width, height))
      .renderCanvas(this.#canvas as unknown as HTMLCanvasElement)
      .setCursorStyleCallbackContext(null)
      .setCursorStyleCallback(() => undefined)
      .extension(enableCredssp(false))
      .connect();
    const fail = (error: unknown) => {
      this.#failure ??= reasonOf(error);
    };
    this.#connecting.then((session) => session.run().then((end) => fail(end.reason()), fail), fail);
  }

  async feed(pdus: Iterable<Buffer>): Promise<void> {
    const socket = await this.#socket;
    await socket.asked;
    let waiting = 0;
    for (const pdu of pdus) {
      if (!this.#isConnected && isFast(pdu)) throw new Error('something is drawn before the handshake is over');
      socket.push(pdu);
      waiting += pdu.length;
      // What follows a handshake in the same turn is dropped by the client.
      if (!this.#isConnected && shareDataType(pdu) === SHARE_DATA_TYPES.fontMap) await this.#connected();
      if (!this.#isConnected || waiting > BATCH_BYTES) {
        await drawn();
        waiting = 0;
      }
      if (this.#failure !== undefined) throw new Error(this.#failure);
    }
    await drawn();
    await drawn();
    if (this.#failure !== undefined) throw new Error(this.#failure);
  }

  look(form: PictureForm): DrawnPicture {
    const { width, height, pixels, draws } = this.#canvas;
    if (form.as === 'raw') return { width, height, draws, bytes: new Uint8Array(pixels) };
    const small = shrink({ rgba: pixels, width, height }, form.maxWidth);
    return { width: small.width, height: small.height, draws, bytes: encodePng(small.rgba, small) };
  }

  close(): void {
    void this.#socket.then((socket) => socket.close());
  }

  async #connected(): Promise<void> {
    this.#isConnected = true;
    await this.#connecting;
    await drawn();
  }
}

export function reasonOf(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'backtrace' in error && typeof error.backtrace === 'function')
    return String(error.backtrace());
  return errorMessage(error);
}

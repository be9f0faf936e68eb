/** One desktop, drawn by the client that pages use. Loaded once there is something that looks like a page. */
import { Backend, enableCredssp, init } from '@devolutions/iron-remote-desktop-rdp';
import { RemoteFxPainter } from '@gatehouse/contract/kinds/desktop/remotefx/painter';
import { errorMessage } from '@gatehouse/contract/std/error-message';
import type { PictureSize } from '../desktop-recorder.ts';
import { isFast, SHARE_DATA_TYPES, shareDataType } from '../rdp-marks.ts';
import { ChangedTiles } from './changed-tiles.ts';
import { type DrawnPicture, type DrawnTile, MAX_TILES, type PictureForm } from './decoder-messages.ts';
import { type FedSocket, LookAlikeCanvas, socketAt } from './page-look-alike.ts';
import { pictureAs } from './picture-as.ts';

/** So much is pushed before the client draws it. */
const BATCH_BYTES = 64 * 1024;
const TEXT = 'text/plain';
const MAX_EARLY_BYTES = 1024 * 1024;

/** Before the first picture. */
export async function loadClient(): Promise<void> {
  await init('error');
}

/** After two of them the client has drawn what it was given. */
const drawn = () => new Promise<void>((resolve) => void setImmediate(resolve));
const drawnAll = async () => {
  await drawn();
  await drawn();
};

type Session = Awaited<ReturnType<InstanceType<typeof Backend.SessionBuilder>['connect']>>;

let lastUrl = 0;

/** Where what a client says goes, if it speaks with a host that answers. */
export interface ClientVoice {
  said(bytes: Uint8Array): void;
  copied(text: string): void;
}

export class Picture {
  readonly #canvas = new LookAlikeCanvas();
  readonly #socket: Promise<FedSocket>;
  readonly #connecting: Promise<Session>;
  readonly #painter: Promise<RemoteFxPainter>;
  readonly #tiles = new ChangedTiles();
  /** What is drawn of it is given. */
  #givenDraws = 0;
  #session: Session | undefined;
  /** The person's clipboard. */
  #text: string | undefined;
  readonly #speaks: boolean;
  readonly #early: Buffer[] = [];
  #earlyBytes = 0;
  #failure: string | undefined;
  #isConnected = false;

  constructor({ width, height }: PictureSize, voice?: ClientVoice) {
    lastUrl += 1;
    const url = `picture:${lastUrl}`;
    this.#socket = socketAt(url);
    this.#painter = this.#socket.then(
      (socket) => new RemoteFxPainter({ surface: this.#canvas, push: (pdu) => socket.push(pdu), turn: drawnAll }),
    );
    this.#speaks = voice !== undefined;
    if (voice) void this.#socket.then((socket) => Object.assign(socket, { onSaid: voice.said }));
    const builder = new Backend.SessionBuilder()
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
      .extension(enableCredssp(false));
    if (voice) this.#shareClipboard(builder, voice);
    this.#connecting = builder.connect();
    const fail = (error: unknown) => {
      this.#failure ??= reasonOf(error);
    };
    this.#connecting.then((session) => {
      this.#session = session;
      session.run().then((end) => fail(end.reason()), fail);
    }, fail);
  }

  async feed(pdus: Iterable<Buffer>): Promise<void> {
    const socket = await this.#socket;
    await socket.asked;
    const painter = await this.#painter;
    let waiting = 0;
    for (const pdu of pdus) {
      if (!this.#isConnected && isFast(pdu)) {
        this.#keepEarly(pdu);
        continue;
      }
      painter.push(pdu);
      waiting += pdu.length;
      // What follows a handshake in the same turn is dropped by the client.
      if (!this.#isConnected && shareDataType(pdu) === SHARE_DATA_TYPES.fontMap) {
        await this.#connected();
        for (const early of this.#early.splice(0)) painter.push(early);
      }
      if (!this.#isConnected || waiting > BATCH_BYTES) {
        await drawn();
        waiting = 0;
      }
      if (this.#failure !== undefined) throw new Error(this.#failure);
    }
    await painter.settled();
    if (this.#failure !== undefined) throw new Error(this.#failure);
  }

  look(form: PictureForm): DrawnPicture {
    const { width, height, pixels: rgba, draws } = this.#canvas;
    if (form.as === 'tiles') return { width, height, draws, bytes: new Uint8Array(0), tiles: this.#changes() };
    return pictureAs({ rgba, width, height, draws }, form);
  }

  /** For the host: it asks for it when somebody pastes there. */
  async copy(text: string): Promise<void> {
    this.#text = text;
    await this.#session?.onClipboardPaste(this.#copied());
  }

  close(): void {
    void this.#socket.then((socket) => socket.close());
  }

  #changes(): DrawnTile[] {
    const { width, height, pixels, draws } = this.#canvas;
    if (draws === this.#givenDraws) return [];
    const tiles = this.#tiles.take({ width, height, pixels });
    if (tiles.length < MAX_TILES) this.#givenDraws = draws;
    return tiles;
  }

  #copied(): InstanceType<typeof Backend.ClipboardData> {
    const data = new Backend.ClipboardData();
    if (this.#text !== undefined) data.addText(TEXT, this.#text);
    return data;
  }

  #shareClipboard(builder: InstanceType<typeof Backend.SessionBuilder>, voice: ClientVoice): void {
    builder.remoteClipboardChangedCallback((data: InstanceType<typeof Backend.ClipboardData>) => {
      for (const item of data.items()) if (item.mimeType() === TEXT) voice.copied(String(item.value()));
    });
    // A client that does not answer here never shares anything.
    builder.forceClipboardUpdateCallback(() => void this.#session?.onClipboardPaste(this.#copied()));
  }

  /** Recordings have put what comes in the middle of a handshake behind it; a host that answers has not. */
  #keepEarly(pdu: Buffer): void {
    this.#earlyBytes += pdu.length;
    if (!this.#speaks || this.#earlyBytes > MAX_EARLY_BYTES)
      throw new Error('something is drawn before the handshake is over');
    this.#early.push(Buffer.from(pdu));
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

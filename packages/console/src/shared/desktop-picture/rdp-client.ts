/** Draws an RDP session on a canvas, by a client compiled to wasm. It signs in to nobody: the gateway has done so. */
import { Backend, displayControl, enableCredssp, init } from '@devolutions/iron-remote-desktop-rdp';
import { RemoteFxPainter } from '@gatehouse/contract/kinds/desktop/remotefx/painter';
import { canvasSurface } from './canvas-surface.ts';
import { drawn } from './drawn.ts';
import { offerPageSocket } from './page-socket.ts';
import type {
  ClientEnd,
  Copied,
  LockKeys,
  PictureClient,
  PictureEvents,
  PictureInput,
  PictureSize,
} from './picture-client.ts';

type Session = Awaited<ReturnType<InstanceType<typeof Backend.SessionBuilder>['connect']>>;
type DeviceEvent = ReturnType<(typeof Backend.DeviceEvent)['mouseMove']>;
type Clipboard = InstanceType<typeof Backend.ClipboardData>;

/** What the client is told in place of a name and a password: it knows neither. */
const NOBODY = '-';
/** RotationUnit.Pixel of the client: amounts go to the host as they are. */
const PIXELS = 0;

let loaded: Promise<void> | undefined;

/** Fetches the wasm, once for the page. */
export function loadRdpClient(): Promise<void> {
  loaded ??= init('error');
  loaded.catch(() => {
    loaded = undefined;
  });
  return loaded;
}

export interface RdpClientOptions extends PictureEvents {
  canvas: HTMLCanvasElement;
  size: PictureSize;
  hasClipboard: boolean;
  /** What lies on the clipboard here for the desktop, from before this client began. */
  offered(): Copied;
}

/** After `loadRdpClient`. One client draws on one canvas; another one for the same canvas is begun when this is closed. */
export function startRdpClient({ canvas, size, hasClipboard, offered, ...events }: RdpClientOptions): PictureClient {
  const socket = offerPageSocket({ onSend: events.onSend });
  const painter = new RemoteFxPainter({
    surface: canvasSurface(canvas),
    push: (pdu) => socket.push(pdu),
    turn: drawn,
  });
  let session: Session | undefined;
  let isOver = false;

  const end = (reason: unknown) => {
    if (isOver) return;
    isOver = true;
    socket.close();
    events.onEnd?.(endOf(reason));
  };
  /** A client that panicked throws at every further call: it is taken for dead, and the page with it. */
  const guard = (work: (running: Session) => void) => {
    if (!session || isOver) return;
    try {
      work(session);
    } catch (error) {
      end(error);
    }
  };
  const paste = (copied: Copied) =>
    guard((running) => {
      running.onClipboardPaste(clipboardOf(copied)).catch(end);
    });

  const builder = new Backend.SessionBuilder()
    .username(NOBODY)
    .password(NOBODY)
    .destination(NOBODY)
    .serverDomain('')
    .authToken(NOBODY)
    .proxyAddress(socket.url)
    .desktopSize(new Backend.DesktopSize(size.width, size.height))
    .renderCanvas(canvas)
    .setCursorStyleCallbackContext(null)
    .setCursorStyleCallback(() => undefined)
    .canvasResizedCallback(() => events.onSize?.({ width: canvas.width, height: canvas.height }))
    .extension(enableCredssp(false))
    .extension(displayControl(true));
  if (hasClipboard) {
    builder.remoteClipboardChangedCallback((clipboard: Clipboard) => {
      const copied = copiedOf(clipboard);
      if (copied) events.onCopied?.(copied);
    });
    // Must be answered, with nothing if need be: until then the channel is not ready, and the first copy there ends the session.
    builder.forceClipboardUpdateCallback(() => paste(offered()));
  }

  const connecting = builder.connect();
  const connected = connecting.then(
    (running) => {
      session = running;
      if (isOver) return running.shutdown();
      running.run().then((info) => end(info.reason()), end);
    },
    (error: unknown) => {
      end(error);
      throw new Error(endOf(error).reason);
    },
  );
  // Whoever does not wait for it hears of it by `onEnd`.
  connected.catch(() => undefined);

  return {
    waiting: socket.ready,
    connected,
    push: (bytes) => painter.push(bytes),
    drawn: () => painter.settled(),
    act(inputs) {
      guard((running) => {
        const transaction = new Backend.InputTransaction();
        for (const input of inputs) for (const event of eventsOf(input)) transaction.addEvent(event);
        running.applyInputs(transaction);
      });
    },
    releaseAll: () => guard((running) => running.releaseAllInputs()),
    syncLocks: ({ scroll, num, caps }: LockKeys) =>
      guard((running) => running.synchronizeLockKeys(scroll, num, caps, false)),
    resize: ({ width, height }, scale) => guard((running) => running.resize(width, height, scale)),
    copy: (copied) => hasClipboard && paste(copied),
    close() {
      if (isOver) return;
      isOver = true;
      try {
        session?.shutdown();
      } catch {
        // It was dead already.
      }
      socket.close();
    },
  };
}

function eventsOf(input: PictureInput): DeviceEvent[] {
  const { DeviceEvent: of } = Backend;
  switch (input.is) {
    case 'move':
      return [of.mouseMove(input.x, input.y)];
    case 'button':
      return [input.isDown ? of.mouseButtonPressed(input.button) : of.mouseButtonReleased(input.button)];
    case 'wheel':
      return [of.wheelRotations(input.isVertical, input.amount, PIXELS)];
    case 'key':
      return [input.isDown ? of.keyPressed(input.scancode) : of.keyReleased(input.scancode)];
    case 'character':
      return [of.unicodePressed(input.character), of.unicodeReleased(input.character)];
  }
}

function clipboardOf({ text, html, png }: Copied): Clipboard {
  const clipboard = new Backend.ClipboardData();
  if (text !== undefined) clipboard.addText('text/plain', text);
  if (html !== undefined) clipboard.addText('text/html', html);
  if (png !== undefined) clipboard.addBinary('image/png', png);
  return clipboard;
}

function copiedOf(clipboard: Clipboard): Copied | undefined {
  const copied: Copied = {};
  for (const item of clipboard.items()) {
    const value: unknown = item.value();
    const type = item.mimeType();
    if (type === 'text/plain' && typeof value === 'string') copied.text = value;
    else if (type === 'text/html' && typeof value === 'string') copied.html = value;
    else if (type === 'image/png' && value instanceof Uint8Array) copied.png = new Uint8Array(value);
  }
  return Object.keys(copied).length > 0 ? copied : undefined;
}

/** What the client says for itself has a backtrace; anything else it throws is a panic. */
function endOf(reason: unknown): ClientEnd {
  if (typeof reason === 'string') return { isBroken: false, reason };
  if (typeof reason === 'object' && reason !== null && 'backtrace' in reason && typeof reason.backtrace === 'function')
    return { isBroken: false, reason: String(reason.backtrace()) };
  return { isBroken: true, reason: String(reason) };
}

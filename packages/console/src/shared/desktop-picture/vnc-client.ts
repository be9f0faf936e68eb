/** Draws a VNC session on a canvas. noVNC speaks the protocol, and knows the shape of the pointer: it signs in to nobody, hears of no mouse or key by itself, and its own canvas is in no page and empty. */
import { RfbDrawing } from '@gatehouse/contract/kinds/desktop/rfb/drawing';
import RFB from '@novnc/novnc';
import { canvasSurface } from './canvas-surface.ts';
import { drawn as allDrawn } from './drawn.ts';
import { pacedDraw } from './paced-draw.ts';
import type { PictureClient, PictureEvents, PictureSize } from './picture-client.ts';
import { RfbChannel } from './rfb-channel.ts';
import { RfbInput } from './rfb-input.ts';

export interface VncClientOptions extends PictureEvents {
  canvas: HTMLCanvasElement;
  size: PictureSize;
  hasClipboard: boolean;
}

/** What the client says when it has drawn all of an update: it wants what has changed since. */
const isRequest = (bytes: Uint8Array) => bytes[0] === 3 && bytes[1] === 1;

/** One client draws on one canvas; another one for the same canvas is begun when this is closed. */
export function startVncClient({ canvas, hasClipboard, ...events }: VncClientOptions): PictureClient {
  let isOver = false;
  /** The client has stopped by itself. */
  let isGone = false;
  const place = document.createElement('div');
  const send = (bytes: Uint8Array<ArrayBuffer>) => {
    if (isOver) return;
    events.onSend(bytes);
    if (isRequest(bytes)) pace.changed();
  };
  const channel = new RfbChannel({ onSend: send });
  const input = new RfbInput(send);
  const { promise: connected, resolve, reject } = Promise.withResolvers<void>();
  // Whoever does not wait for it hears of it by `onEnd`.
  connected.catch(() => undefined);

  const end = (reason: string) => {
    if (isOver) return;
    close();
    reject(new Error(reason));
    events.onEnd?.({ isBroken: false, reason });
  };
  const close = () => {
    isOver = true;
    pace.stop();
    if (!isGone) client.disconnect();
    canvas.style.cursor = '';
  };
  const drawing = new RfbDrawing({ rest: (bytes) => channel.push(bytes) });
  const surface = canvasSurface(canvas);
  const pace = pacedDraw(() => {
    if (isOver) return;
    const { points } = drawing;
    const { width, height } = points;
    const changed = points.takeChanged();
    if (changed) {
      if (canvas.width !== width || canvas.height !== height) {
        canvas.width = width;
        canvas.height = height;
        events.onSize?.({ width, height });
      }
      surface.paint(points.bytes, changed);
    }
    // Before the host has said what its pointer looks like, that of the machine here is shown.
    const cursor = place.querySelector('canvas')?.style.cursor ?? '';
    canvas.style.cursor = cursor.startsWith('url(') ? cursor : '';
  });

  const client = new RFB(place, channel, { shared: true });
  client.addEventListener('connect', () => resolve());
  client.addEventListener('disconnect', () => {
    isGone = true;
    end('what the host sent cannot be drawn');
  });
  client.addEventListener('clipboard', (event) => {
    const text: unknown = (event as CustomEvent).detail?.text;
    if (hasClipboard && typeof text === 'string' && text !== '') events.onCopied?.({ text });
  });

  return {
    waiting: Promise.resolve(),
    connected,
    push(bytes) {
      if (isOver) return;
      try {
        drawing.draw([bytes]);
      } catch (error) {
        end(String(error));
      }
    },
    drawn: allDrawn,
    act(inputs) {
      for (const each of inputs) input.act(each);
    },
    releaseAll: () => input.releaseAll(),
    // Hosts of VNC are told what a key writes: their lamps do not matter.
    syncLocks: () => undefined,
    // The gateway asks the host for another size.
    resize: () => undefined,
    copy({ text }) {
      if (hasClipboard && text !== undefined) input.copy(text);
    },
    close() {
      if (!isOver) close();
    },
  };
}

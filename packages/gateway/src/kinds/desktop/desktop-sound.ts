/** What a desktop plays, for the pages that asked for it and may look on. Nothing of it is recorded. */
import type { HostedSession } from '../../sessions/host/hosted-session.ts';
import type { DesktopViewer } from './desktop-viewer.ts';
import type { Sound } from './engine/desktop-link.ts';

/** A page with more before it hears what came meanwhile not at all: sound that is late is of no use, and must not hold up pictures. */
const MAX_UNSENT_BYTES = 256 * 1024;

export class DesktopSound {
  readonly #listeners = new Set<DesktopViewer>();
  readonly #hosted: Pick<HostedSession, 'mayWatch'>;
  readonly #sent: () => void;

  constructor(hosted: Pick<HostedSession, 'mayWatch'>, sent: () => void) {
    this.#hosted = hosted;
    this.#sent = sent;
  }

  want(viewer: DesktopViewer, isOn: boolean): void {
    if (isOn) this.#listeners.add(viewer);
    else this.#listeners.delete(viewer);
  }

  leave(viewer: DesktopViewer): void {
    this.#listeners.delete(viewer);
  }

  played({ channels, rate, samples }: Sound): void {
    if (this.#listeners.size === 0) return;
    const bytes = Buffer.alloc(5 + samples.length);
    bytes[0] = channels;
    bytes.writeUInt32LE(rate, 1);
    samples.copy(bytes, 5);
    for (const viewer of this.#listeners)
      if (this.#hosted.mayWatch(viewer.id) && viewer.wire.unsent() <= MAX_UNSENT_BYTES)
        viewer.wire.sound?.(bytes, this.#sent);
  }
}

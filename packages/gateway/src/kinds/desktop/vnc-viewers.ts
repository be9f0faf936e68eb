/** The pages on a desktop by VNC. Each is greeted by itself: shown what it may see, and greeted anew where it missed some. */
import type { DesktopViewer } from './desktop-viewer.ts';
import type { LinkPage, PagedLink } from './engine/desktop-link.ts';

export interface VncViewersDeps {
  link: PagedLink;
  mayWatch(viewer: DesktopViewer): boolean;
  mayType(viewer: DesktopViewer): boolean;
  /** What was shown has left. */
  sent(): void;
}

export class VncViewers {
  readonly #deps: VncViewersDeps;
  readonly #pages = new Map<DesktopViewer, LinkPage>();

  constructor(deps: VncViewersDeps) {
    this.#deps = deps;
  }

  /** Its client begins anew, whatever it has shown before. */
  begin(viewer: DesktopViewer): void {
    const { link } = this.#deps;
    this.leave(viewer);
    viewer.stage = 'live';
    viewer.begin({ type: 'segment', ...link.size });
    const page = link.openPage((bytes, isClipboard) => this.#show(viewer, bytes, isClipboard));
    // It may have taken nothing of its greeting.
    if (viewer.isBehind) page.close();
    else this.#pages.set(viewer, page);
  }

  /** Whether something was typed. Throws where it is no message at all: its page is wrong, and nobody else. */
  hear(viewer: DesktopViewer, bytes: Buffer): boolean {
    const page = this.#pages.get(viewer);
    return page?.hear(bytes, viewer.mayDrive ? 'driver' : 'peer', this.#deps.mayType(viewer)) ?? false;
  }

  leave(viewer: DesktopViewer): void {
    const page = this.#pages.get(viewer);
    this.#pages.delete(viewer);
    page?.close();
  }

  #show(viewer: DesktopViewer, bytes: Buffer, isClipboard: boolean): void {
    // A whole message of its own: who is not shown it misses nothing of what follows.
    if (isClipboard && !viewer.mayDrive) return;
    const isTooSlow = viewer.isFull && !viewer.mayDrive;
    if (this.#deps.mayWatch(viewer) && !isTooSlow) {
      viewer.wire.picture(bytes, this.#deps.sent);
      return;
    }
    viewer.fallBehind();
    this.leave(viewer);
  }
}

/** The folder that whoever works on a desktop shares with it: begun, refused, told and ended. One at a time. */
import {
  answeredId,
  DIRECTORY_ERROR,
  directoryAcknowledge,
  readFromPage,
  SHARED_DIRECTORY,
} from '@gatehouse/contract/sessions/directory-messages';
import type { HostedSession } from '../../../sessions/host/hosted-session.ts';
import type { DesktopViewer } from '../desktop-viewer.ts';
import type { DesktopLink } from '../engine/desktop-link.ts';
import { isFileName } from '../engine/rdp/drive/drive-names.ts';
import { FileUses } from './file-uses.ts';
import {
  type FolderTeller,
  MAX_TAKING_MS,
  MODERATED,
  NO_CHANNEL,
  NO_FOLDERS,
  NOT_TAKEN,
  type SharedName,
} from './folder-teller.ts';
import { PageFolder } from './page-folder.ts';
import { TransferDrive, type TransferStore } from './transfer/transfer-drive.ts';

interface Running {
  viewer: DesktopViewer;
  name: string;
  folder: PageFolder;
  uses: FileUses;
  takeAway: () => void;
  isTaken: boolean;
  timer: ReturnType<typeof setTimeout>;
}

export class DesktopFolders {
  readonly #hosted: HostedSession;
  readonly #link: () => DesktopLink | undefined;
  readonly #tell: FolderTeller;
  /** Beside it: the one that the gateway keeps. */
  readonly transfer: TransferDrive;
  #running: Running | undefined;

  constructor(
    hosted: HostedSession,
    link: () => DesktopLink | undefined,
    tell: FolderTeller,
    store: TransferStore | undefined,
  ) {
    this.#hosted = hosted;
    this.#link = link;
    this.#tell = tell;
    this.transfer = new TransferDrive({ hosted, link, tell, store, whyForbidden: () => this.#whyForbidden() });
  }

  /** Whether this page could share one, as things stand. Before the host has let anybody in that is what roles say. */
  isFor(viewer: DesktopViewer): boolean {
    const link = this.#link();
    return viewer.mayDrive && this.#whyForbidden() === undefined && (link === undefined || link.hasFolders === true);
  }

  /** What the page says about its folder. Throws where it is no message at all. What nobody asked for is not read: it may be long. */
  hear(viewer: DesktopViewer, bytes: Uint8Array): void {
    const id = answeredId(bytes);
    const running = this.#running?.viewer === viewer ? this.#running : undefined;
    if (id !== undefined && !running?.folder.waitsFor(id)) return;
    const said = readFromPage(bytes);
    if (said.type === 'announce') this.#begin(viewer, said);
    else running?.folder.hear(said.answer);
  }

  /** The person ends it. */
  end(viewer: DesktopViewer): void {
    if (this.#running?.viewer === viewer) this.#stop('off');
  }

  /** A page is gone: its folder with it, and not the one that the gateway keeps. */
  leave(viewer: DesktopViewer): void {
    this.end(viewer);
    this.transfer.leave(viewer);
  }

  /** Rights, or who must be there, have changed. */
  reconsider(): void {
    const why = this.#running && this.#whyForbidden();
    if (why) this.#stop('off', why);
    this.transfer.reconsider();
  }

  close(): void {
    this.#stop('off');
    this.transfer.close();
  }

  #begin(viewer: DesktopViewer, { directory, name }: SharedName): void {
    const why = this.#whyNot(viewer, directory, name) ?? this.#start(viewer, name);
    if (why !== undefined) this.#refuse(viewer, { directory, name }, why);
  }

  #whyForbidden(): string | undefined {
    if (!this.#hosted.options.directorySharing) return NO_FOLDERS;
    return this.#hosted.rules.length > 0 ? MODERATED : undefined;
  }

  #whyNot(viewer: DesktopViewer, directory: number, name: string): string | undefined {
    if (!viewer.mayDrive) return 'only whose session it is shares a folder';
    const forbidden = this.#whyForbidden();
    if (forbidden !== undefined) return forbidden;
    if (!this.#hosted.mayType(viewer.id)) return 'nothing passes at this moment';
    if (this.#running?.viewer === viewer) return 'a folder is shared already: end that first';
    if (directory !== SHARED_DIRECTORY || !isFileName(name)) return 'it cannot be shared under this name';
    // As after a lost line, of which this gateway may not know yet.
    this.#stop('off', 'another page of yours shares one now');
    return undefined;
  }

  /** Gives why it cannot. */
  #start(viewer: DesktopViewer, name: string): string | undefined {
    const shared = { name, directory: SHARED_DIRECTORY };
    const folder = new PageFolder(SHARED_DIRECTORY, (bytes) => viewer.wire.files(bytes, () => this.#tell.sent()));
    const uses = new FileUses((use) => this.#tell.used(shared, use));
    const isMine = () => this.#running?.folder === folder;
    const takeAway = this.#link()?.share?.({
      ...{ name, folder },
      mayPass: () => isMine() && this.#hosted.mayType(viewer.id) && this.#whyForbidden() === undefined,
      onTaken: (isTaken) => {
        if (isMine()) this.#taken(isTaken);
      },
      turn: (use) => uses.turn(use),
      onUse: (use) => uses.add(use),
    });
    if (!takeAway) return NO_CHANNEL;
    const timer = setTimeout(() => {
      if (isMine()) this.#taken(false);
    }, MAX_TAKING_MS);
    this.#running = { viewer, name, folder, uses, takeAway, timer, isTaken: false };
    return undefined;
  }

  #taken(isTaken: boolean): void {
    const running = this.#running;
    if (!running || running.isTaken) return;
    clearTimeout(running.timer);
    const shared = { name: running.name, directory: SHARED_DIRECTORY };
    if (!isTaken) {
      this.#stop('refused', NOT_TAKEN);
      this.#tell.shared(shared, NOT_TAKEN);
      return;
    }
    running.isTaken = true;
    this.#acknowledge(running.viewer, DIRECTORY_ERROR.none, SHARED_DIRECTORY);
    running.viewer.wire.tell({ type: 'shared', is: 'on', name: running.name });
    this.#tell.shared(shared);
  }

  #acknowledge({ wire }: DesktopViewer, error: number, directory: number): void {
    wire.files(directoryAcknowledge(error, directory), () => this.#tell.sent());
  }

  #refuse(viewer: DesktopViewer, shared: SharedName, why: string): void {
    this.#acknowledge(viewer, DIRECTORY_ERROR.failed, shared.directory);
    viewer.wire.tell({ type: 'shared', is: 'refused', name: shared.name, why });
    this.#tell.shared(shared, why);
  }

  /** At once: the host has the drive no longer, and what it asked for is not waited for. */
  #stop(is: 'off' | 'refused', why?: string): void {
    const running = this.#running;
    if (!running) return;
    this.#running = undefined;
    clearTimeout(running.timer);
    running.takeAway();
    running.folder.close();
    running.uses.flush();
    if (is === 'refused') this.#acknowledge(running.viewer, DIRECTORY_ERROR.failed, SHARED_DIRECTORY);
    running.viewer.wire.tell({ type: 'shared', is, name: running.name, ...(why === undefined ? {} : { why }) });
  }
}

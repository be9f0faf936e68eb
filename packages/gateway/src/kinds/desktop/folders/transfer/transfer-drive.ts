/** The transfer folder of one session: begun when its owner wants it, offered to the host as a drive, told to their pages, and gone with the session or the right to it. */

import {
  desktopFileRoutes,
  TRANSFER_BYTES,
  TRANSFER_DIRECTORY,
  TRANSFER_NAME,
} from '@gatehouse/contract/kinds/desktop/transfer';
import type { DesktopCommand, DesktopReply } from '@gatehouse/contract/sessions/desktop-frames';
import { pathFor } from '@gatehouse/contract/wire/route';
import { AppError } from '../../../../platform/std/app-error.ts';
import type { HostedSession } from '../../../../sessions/host/hosted-session.ts';
import type { DesktopViewer } from '../../desktop-viewer.ts';
import type { DesktopLink } from '../../engine/desktop-link.ts';
import { FileUses } from '../file-uses.ts';
import { type FolderTeller, MAX_TAKING_MS, NO_CHANNEL, NOT_TAKEN } from '../folder-teller.ts';
import type { SealedBlocks } from './sealed-blocks.ts';
import { giveDownload, takeUpload } from './transfer-copies.ts';
import { RESTS_MS, TransferFolder } from './transfer-folder.ts';
import type { TransferTicket, TransferTickets } from './transfer-tickets.ts';

/** Changes come in floods: a page is told what is there when they rest, or so often. */
export const TELL_MS = 300;
/** Told of what is offered; how many more there are is told with it. */
const MAX_OFFERED = 200;
const MAX_UPLOADS = 4;
const SHARED = { name: TRANSFER_NAME, directory: TRANSFER_DIRECTORY };

export interface TransferStore {
  open(): Promise<SealedBlocks>;
  tickets: Pick<TransferTickets, 'make'>;
  now(): number;
  failed(error: unknown): void;
}

interface Running {
  folder: TransferFolder;
  uses: FileUses;
  takeAway: () => void;
  isTaken: boolean;
  timer: ReturnType<typeof setTimeout>;
  cut: AbortController;
  uploads: number;
}

interface TransferDriveDeps {
  hosted: HostedSession;
  link: () => DesktopLink | undefined;
  tell: FolderTeller;
  /** Undefined: this gateway keeps no files. */
  store: TransferStore | undefined;
  whyForbidden(): string | undefined;
}

type Transfer = Extract<DesktopReply, { type: 'transfer' }>;
type Of<What> = Extract<TransferTicket, { what: What }>;
type Copy = Extract<DesktopCommand, { type: 'upload' | 'download' }>;

export class TransferDrive {
  readonly #deps: TransferDriveDeps;
  readonly #pages = new Set<DesktopViewer>();
  #running: Running | undefined;
  /** While its place on the disk is made. */
  #opening: symbol | undefined;
  #telling: ReturnType<typeof setTimeout> | undefined;
  #resting: ReturnType<typeof setTimeout> | undefined;

  constructor(deps: TransferDriveDeps) {
    this.#deps = deps;
  }

  /** A page of whose session it is hears how it stands, from now on. */
  enter(viewer: DesktopViewer): void {
    if (!viewer.mayDrive) return;
    this.#pages.add(viewer);
    if (this.#running) viewer.wire.tell(this.#state(this.#running.isTaken ? 'on' : 'asking'));
  }

  leave(viewer: DesktopViewer): void {
    this.#pages.delete(viewer);
  }

  hear(viewer: DesktopViewer, command: Extract<DesktopCommand, { type: 'transfer' }> | Copy): void {
    if (command.type !== 'transfer') this.#copy(viewer, command);
    else if (command.isOn) void this.#begin(viewer);
    else if (viewer.mayDrive) this.#stop({ is: 'off' });
  }

  /** Rights, or who must be there, have changed. */
  reconsider(): void {
    const why = this.#deps.whyForbidden();
    if (why !== undefined) this.#stop({ is: 'off', why });
  }

  close(): void {
    this.#stop({ is: 'off' });
  }

  async #begin(viewer: DesktopViewer): Promise<void> {
    if (this.#running || this.#opening) return;
    const { store } = this.#deps;
    const why = this.#whyNot(viewer);
    if (why !== undefined || !store) return this.#refuse(viewer, why ?? 'this gateway keeps no files');
    const mine = Symbol('opening');
    this.#opening = mine;
    try {
      const blocks = await store.open();
      if (this.#opening !== mine) return void (await blocks.close());
      this.#opening = undefined;
      this.#start(viewer, blocks, store);
    } catch (error) {
      store.failed(error);
      if (this.#opening === mine) this.#opening = undefined;
      this.#refuse(viewer, 'the gateway could not make room for it on its disk: its log says why');
    }
  }

  #whyNot(viewer: DesktopViewer): string | undefined {
    const { hosted, whyForbidden } = this.#deps;
    if (!viewer.mayDrive) return 'only whose session it is uses its transfer folder';
    return whyForbidden() ?? (hosted.mayType(viewer.id) ? undefined : 'nothing passes at this moment');
  }

  #start(viewer: DesktopViewer, blocks: SealedBlocks, store: TransferStore): void {
    const { link, tell } = this.#deps;
    const onChange = () => this.#changed();
    const folder = new TransferFolder({ blocks, maxBytes: TRANSFER_BYTES, now: store.now, onChange });
    const uses = new FileUses((use) => tell.used(SHARED, use));
    const isMine = () => this.#running?.folder === folder;
    const takeAway = link()?.share?.({
      ...{ name: TRANSFER_NAME, folder },
      mayPass: () => isMine() && this.#mayPass(),
      onTaken: (isTaken) => {
        if (isMine()) this.#taken(isTaken);
      },
      turn: (use) => uses.turn(use),
      onUse: (use) => uses.add(use),
    });
    if (!takeAway) {
      void folder.close().catch(store.failed);
      this.#refuse(viewer, NO_CHANNEL);
      return;
    }
    const timer = setTimeout(() => {
      if (isMine()) this.#taken(false);
    }, MAX_TAKING_MS);
    this.#running = { folder, uses, takeAway, timer, isTaken: false, cut: new AbortController(), uploads: 0 };
    this.#tellAll(this.#state('asking'));
  }

  #mayPass(): boolean {
    const { hosted, whyForbidden } = this.#deps;
    return hosted.flow === 'live' && !hosted.end && whyForbidden() === undefined;
  }

  #taken(isTaken: boolean): void {
    const running = this.#running;
    if (!running || running.isTaken) return;
    clearTimeout(running.timer);
    if (!isTaken) {
      this.#stop({ is: 'refused', why: NOT_TAKEN });
      this.#deps.tell.shared(SHARED, NOT_TAKEN);
      return;
    }
    running.isTaken = true;
    this.#tellAll(this.#state('on'));
    this.#deps.tell.shared(SHARED);
  }

  #copy(viewer: DesktopViewer, command: Copy): void {
    const { id } = command;
    try {
      viewer.wire.tell({ type: 'ticket', id, url: this.#ticket(viewer, command) });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      viewer.wire.tell({ type: 'ticket', id, why: error.message });
    }
  }

  /** Gives the address for it. */
  #ticket(viewer: DesktopViewer, command: Copy): string {
    const { hosted, store } = this.#deps;
    const running = this.#running;
    const why = this.#whyNot(viewer);
    if (why !== undefined) throw new AppError('denied', why);
    const signInId = hosted.participants.get(viewer.id)?.signInId;
    if (!running?.isTaken || !store || signInId === undefined)
      throw new AppError('conflict', 'the transfer folder is not open: open it first');
    hosted.active(viewer.id);
    const terms = { signal: running.cut.signal, mayPass: () => this.#running === running && this.#mayPass() };
    if (command.type === 'upload') {
      const take: Of<'upload'>['take'] = async (body, require) => {
        if (running.uploads >= MAX_UPLOADS) throw new AppError('too_many', 'other files are still being uploaded');
        running.uploads += 1;
        try {
          return await takeUpload(running.folder, command, body, { ...terms, require });
        } finally {
          running.uploads -= 1;
        }
      };
      return pathFor(desktopFileRoutes.upload.path, {
        clusterId: this.#deps.hosted.session.cluster,
        ticket: store.tickets.make(signInId, { what: 'upload', take }),
      });
    }
    const found = running.folder.offeredFile(command.path);
    if (!found) throw new AppError('not_found', 'it is not in the folder for downloads any more');
    const give: Of<'download'>['give'] = (require) => {
      terms.signal.throwIfAborted();
      return giveDownload(found.name, found.file, { ...terms, require });
    };
    return pathFor(desktopFileRoutes.download.path, {
      clusterId: this.#deps.hosted.session.cluster,
      ticket: store.tickets.make(signInId, { what: 'download', give }),
    });
  }

  #changed(): void {
    this.#telling ??= setTimeout(() => {
      this.#telling = undefined;
      if (this.#running?.isTaken) this.#tellAll(this.#state('on'));
    }, TELL_MS);
    // What the host never closes is offered when it rests.
    clearTimeout(this.#resting);
    this.#resting = setTimeout(() => {
      if (this.#running?.isTaken) this.#tellAll(this.#state('on'));
    }, RESTS_MS + TELL_MS);
  }

  #state(is: Transfer['is'], why?: string): Transfer {
    const { folder } = this.#running ?? {};
    const { files, more } = folder?.offered(MAX_OFFERED) ?? { files: [], more: 0 };
    const freeBytes = folder?.room().freeBytes ?? 0;
    return { type: 'transfer', is, files, more, freeBytes, ...(why === undefined ? {} : { why }) };
  }

  #tellAll(state: Transfer): void {
    for (const { wire } of this.#pages) wire.tell(state);
  }

  #refuse(viewer: DesktopViewer, why: string): void {
    viewer.wire.tell(this.#state('refused', why));
    this.#deps.tell.shared(SHARED, why);
  }

  /** At once: the host has the drive no longer, what is on its way is cut, and what it held is gone. */
  #stop({ is, why }: { is: 'off' | 'refused'; why?: string }): void {
    const wasOpening = this.#opening !== undefined;
    this.#opening = undefined;
    clearTimeout(this.#telling);
    clearTimeout(this.#resting);
    this.#telling = undefined;
    const running = this.#running;
    if (!running) {
      if (wasOpening) this.#tellAll(this.#state(is, why));
      return;
    }
    this.#running = undefined;
    clearTimeout(running.timer);
    running.takeAway();
    running.uses.flush();
    running.cut.abort(new AppError('conflict', why ?? 'the transfer folder was closed'));
    void running.folder.close().catch((error: unknown) => this.#deps.store?.failed(error));
    this.#tellAll(this.#state(is, why));
  }
}
